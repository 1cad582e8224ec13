// Real clients as people have them: in a terminal, with nothing but what `countersign connect` writes. Their user reads whom
// a leader waits for before the wait ends. Their models are stand-ins.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.js';
import { runProgram } from '../support/program.js';
import { must } from '../support/stage.js';
import { openStage } from './open-stage.js';
import type { Heard, Turn } from './stand-in/script.js';
import { Terminal } from './terminal.js';

const STORY_MS = 120_000;
const SHOWN_CHARACTERS = 1500;

type Shown = 'claude-code' | 'codex' | 'gemini';

/** How each is begun with a prompt. */
const LINES: Readonly<Record<Shown, readonly [string, ...string[]]>> = {
  'claude-code': ['claude', '--allowedTools', 'mcp__countersign,Bash', '--'],
  codex: ['codex', '--dangerously-bypass-approvals-and-sandbox'],
  gemini: ['gemini', '--yolo', '--prompt-interactive'],
};

const clients = openStage();

/** A home that has been used before: nothing is asked of a newcomer. */
function usedBefore(client: Shown, home: string, project: string): Record<string, string> {
  if (client !== 'claude-code') return {};
  const folder = path.join(home, '.claude');
  mkdirSync(folder);
  const projects = { [project]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true } };
  const used = { hasCompletedOnboarding: true, theme: 'dark', projects };
  writeFileSync(path.join(folder, '.claude.json'), JSON.stringify(used));
  // Of a key in the other variable it asks whether it may be used.
  return { ANTHROPIC_API_KEY: '', ANTHROPIC_AUTH_TOKEN: 'for-the-stand-in' };
}

describe.each(Object.keys(LINES) as Shown[])('%s', (client) => {
  it(
    'shows its user whom the leader waits for, before the wait ends',
    async () => {
      const [leader, child] = [`leader-in-${client}`, `awaited-in-${client}`];
      must(await clients.stage.operator.sessions.create({ session_name: leader, external: true }));
      let waited = 0;
      const script = ({ turn, tools }: Heard): Turn => {
        // In its window Claude Code does not wait for its servers.
        const isReady = client !== 'claude-code' || tools.includes('state_create');
        if (!isReady) {
          waited = turn + 1;
          return { call: { tool: 'Bash', input: { command: 'sleep 1' } } };
        }
        const state = { schema_name: 'any', initial_data: {} };
        if (turn === waited) return { call: { tool: 'state_create', input: state } };
        const input = { session_name: child, prompt: 'Score it.', callback: true };
        return turn === waited + 1
          ? { call: { tool: 'start_agent_session', input } }
          : { say: 'I wait for my child.' };
      };
      const { home, project, environment } = await clients.place(client, script);
      const own = usedBefore(client, home, project);
      const env = { ...environment, ...own, AGENT_SESSION_NAME: leader };
      const connect = ['connect', client, '--wait', '90s', '--yes', '--project-dir', project];
      expect(await runProgram(connect, { env })).toMatchObject({ code: 0 });
      const line = [...LINES[client], 'Have it scored.'] as const;
      const terminal = Terminal.open(clients.installed, line, { cwd: project, env });
      clients.opened(terminal);
      await eventually(`${client} shows it`, () => terminal.shown.includes(`Atwork:${child}.`), 60_000).catch(
        (error: unknown) => {
          const shown = terminal.shown.slice(-SHOWN_CHARACTERS);
          throw new Error(`${String(error)}; it ends with ${shown}`, { cause: error });
        },
      );
      // The wait has not ended: its end would hand over the callback, or report the end of the turn.
      expect(must(await clients.stage.operator.sessions.get(leader)).status).toBe('running');
    },
    STORY_MS,
  );
});
