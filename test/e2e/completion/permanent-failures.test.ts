// Failures that cannot pass by themselves, with the real program: told to the parent after one run of each child.
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest';
import { readRecording } from '../../runner/clients/recording.js';
import { eventually, STORY_MS_MAX } from '../../support/eventually.js';
import { Program } from '../../support/program.js';
import { must, Stage } from '../../support/stage.js';

/** A program in the path that prints what the real client printed. */
function putClient(stage: Stage, program: string, client: string, recording: string): string {
  const folder = join(stage.dir, `${client}-bin`);
  mkdirSync(folder);
  const { stdout, stderr, exit_code } = readRecording(client, recording);
  writeFileSync(join(folder, 'out'), stdout.map((line) => `${line}\n`).join(''));
  writeFileSync(join(folder, 'err'), stderr);
  const script = `#!/bin/sh\ncat > /dev/null\ncat '${folder}/out'\ncat '${folder}/err' >&2\nexit ${String(exit_code)}\n`;
  writeFileSync(join(folder, program), script);
  chmodSync(join(folder, program), 0o755);
  return folder;
}

const CLIENTS = [
  ['claude-code', 'claude', 'is not logged in', 'Not logged in'],
  ['codex', 'codex', 'shows a key that is refused', '401 Unauthorized'],
  ['gemini', 'gemini', 'is not logged in', 'GEMINI_API_KEY'],
  ['opencode', 'opencode', 'has no right to the model', 'the key is unknown'],
  ['codex', null, '', 'ENOENT'],
] as const;

describe('a failure that cannot pass by itself', { timeout: STORY_MS_MAX }, () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await Stage.open({ runner: null });
    must(await stage.operator.schemas.register({ name: 'any', json_schema: { type: 'object' } }));
  });
  afterAll(() => stage.close());

  it.for(CLIENTS)('of %s (%s, %s) is told after one run', async (client, { onTestFinished }: TestContext) => {
    const [type, program, recording, reason] = client;
    const path =
      program === null ? '/nowhere' : `${putClient(stage, program, type, recording)}:/usr/bin:/bin`;
    const runner = await Program.start(
      ['runner', '--url', stage.url, '--executor', type, '--project-dir', stage.dir, '--log-level', 'warn'],
      { env: { PATH: path, HOME: stage.dir } },
    );
    onTestFinished(() => runner.end('SIGKILL').then(() => undefined));

    const tree = `${type}-${String(program)}`;
    const lead = stage.as(tree);
    must(await stage.operator.sessions.create({ session_name: tree, external: true }));
    must(await lead.states.create({ schema_name: 'any', initial_data: {} }));
    const children = ['a', 'b'].map((name) => `${tree}-${name}`);
    const ids: string[] = [];
    for (const name of children) {
      const completion = { contract: { pointer: `/${name}`, schema: { type: 'integer' } } };
      const start = { type: 'start_session', session_name: name, prompt: 'go', callback: true } as const;
      const run = must(await lead.runs.create({ ...start, completion, demands: { executor_type: type } }));
      ids.push(run.session_id);
    }
    const callbacks = await eventually('the parent has been told of both', async () => {
      const { items } = must(await stage.operator.callbacks.list({ status: 'queued' }));
      const own = items.filter((one) => ids.includes(one.child_session_id));
      return own.length === 2 && own;
    });
    for (const { outcome, message } of callbacks) {
      expect([outcome, message]).toEqual(['failed', expect.stringContaining(reason)]);
    }
    for (const session of children) {
      const { items } = must(await stage.operator.runs.list({ session }));
      expect(items).toMatchObject([{ status: 'failed', cause: 'configuration', attempt: 1 }]);
      expect(must(await stage.operator.sessions.completion(session))).toMatchObject({
        state_update_status: 'failed',
        attempts: [],
        reason: expect.stringContaining('no retry can help'),
      });
    }
  });
});
