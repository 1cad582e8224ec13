// A live team by hand: a leader in real Claude Code that goes idle, and three children, each in a real Claude Code that
// somebody started. Two do their work, one is killed: the leader is woken three times. Their models are stand-ins.
import { spawn, type ChildProcess } from 'node:child_process';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.js';
import { runProgram } from '../support/program.js';
import { must } from '../support/stage.js';
import type { Installed } from './install.js';
import { openStage } from './open-stage.js';
import type { Script } from './stand-in/script.js';

const STORY_MS = 120_000;
const CHILDREN = ['first', 'second', 'third'];

const clients = openStage();

/** A window of Claude Code that stays open: idle until it is told something, or is woken. */
async function window(version: keyof Installed, session: string, script: Script) {
  const { project, environment } = await clients.place('claude-code', script, version);
  const env = { ...environment, AGENT_SESSION_NAME: session };
  const hooks = ['hook', 'install', '--client', 'claude-code', '--project-dir', project, '--gate', '--yes'];
  expect(await runProgram(hooks, { env })).toMatchObject({ code: 0 });
  const streams = ['--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose'];
  const args = ['--print', ...streams, '--allowedTools', 'Bash'];
  const client = spawn(path.join(clients.installed[version], 'claude'), args, {
    cwd: project,
    env,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const closed = new Promise<void>((resolve) => client.once('close', () => resolve()));
  clients.opened({
    close: async () => {
      client.kill('SIGKILL');
      await closed;
    },
  });
  return client;
}

function tell(client: ChildProcess, content: string): void {
  client.stdin?.write(`${JSON.stringify({ type: 'user', message: { role: 'user', content } })}\n`);
}

describe.each(['bin', 'olderBin'] as const)('Claude Code of %s', (which) => {
  it(
    'as a leader by hand is woken for each of its children, also for the one that was killed',
    async () => {
      const leader = `leader-${which}`;
      must(await clients.stage.operator.sessions.create({ session_name: leader, external: true }));
      must(
        await clients.stage.operator.states.create({
          schema_name: 'any',
          initial_data: {},
          root_session_name: leader,
        }),
      );
      const promise = async (name: string) =>
        must(
          await clients.stage.operator.sessions.create({
            session_name: `${name}-${which}`,
            external: true,
            parent_session_name: leader,
            callback: true,
            // Signs of life come from the test until its client is started.
            heartbeat_timeout_ms: name === 'third' ? 30_000 : 0,
            completion: { contract: { pointer: `/${name}`, schema: { const: 1 } } },
          }),
        );
      await promise('first');
      await promise('second');
      const lead = await window(which, leader, () => ({ say: 'I wait for my children.' }));
      tell(lead, 'Lead them.');
      const delivered = async () =>
        must(await clients.stage.operator.callbacks.list({ root_session: leader })).items.filter(
          ({ status }) => status === 'acknowledged',
        );
      await eventually(
        'the leader is idle',
        async () => {
          const { status } = must(await clients.stage.operator.sessions.get(leader));
          return status === 'finished';
        },
        STORY_MS,
      );

      const keepAlive = async (name: string) =>
        must(await clients.stage.operator.sessions.report(`${name}-${which}`, { type: 'message' }));
      for (const [count, name] of CHILDREN.entries()) {
        const dies = name === 'third';
        if (name === 'second') await promise('third');
        const child = await window(which, `${name}-${which}`, ({ prompt, turn }) => {
          if (dies) return { call: { tool: 'Bash', input: { command: 'tail -f /dev/null' } } };
          const asked = prompt.includes('<state-update-request');
          const patch = `countersign state patch '[{"op":"add","path":"/${name}","value":1}]'`;
          return asked && turn === 0
            ? { call: { tool: 'Bash', input: { command: patch } } }
            : { say: 'Done.' };
        });
        tell(child, 'Do your part.');
        if (dies) {
          await eventually(
            'the child is at work',
            async () => {
              const session = must(await clients.stage.operator.sessions.get(`third-${which}`));
              return session.status === 'running';
            },
            STORY_MS,
          );
          child.kill('SIGKILL');
        }
        const heard = await eventually(
          `the leader has heard of ${name}`,
          async () => {
            if (name === 'second') await keepAlive('third');
            const all = await delivered();
            return all.length === count + 1 && all;
          },
          STORY_MS,
        );
        expect(heard.at(-1)).toMatchObject(
          dies
            ? { outcome: 'lost', metadata: { state_update_status: 'failed' } }
            : { outcome: 'completed', metadata: { state_update_status: 'completed' } },
        );
      }
      const { findings } = must(await clients.stage.operator.operations.doctor());
      const { session_id } = must(await clients.stage.operator.sessions.get(`third-${which}`));
      expect(findings.map(({ check, subject }) => [check, subject])).toContainEqual([
        'session_not_lost',
        session_id,
      ]);
    },
    STORY_MS * 2,
  );
});
