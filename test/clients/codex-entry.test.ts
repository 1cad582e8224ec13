// The entry for Codex in docs/mcp.md, as it stands in a user's config.toml: `codex exec` has the tools although their
// server is slow to start, and may write.
import { spawn } from 'node:child_process';
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { codeBlocks, textOf } from '../docs/markdown.js';
import { builtProgram } from '../support/built-program.js';
import { must, Stage } from '../support/stage.js';
import { installClients, type Installed } from './install.js';
import { openOpenAi } from './stand-in/openai.js';
import type { Heard, Turn } from './stand-in/script.js';
import { surroundings } from './surroundings.js';

const STORY_MS = 90_000;
/** Longer than Codex waits for a server that is not required. */
const SLOW_START_S = 4;

let stage: Stage;
let installed: Installed;
beforeAll(async () => {
  installed = await installClients();
  stage = await Stage.open({ runner: null });
}, 600_000);
afterAll(() => stage.close());

it(
  'lets codex exec write, also where the server is slow to start',
  async () => {
    const session_name = 'by-the-entry';
    must(await stage.operator.sessions.create({ session_name, external: true }));
    must(await stage.operator.schemas.register({ name: 'any', json_schema: { type: 'object' } }));
    const made = must(
      await stage.operator.states.create({
        schema_name: 'any',
        initial_data: {},
        root_session_name: session_name,
      }),
    );
    const script = ({ turn }: Heard): Turn => {
      const operations = [{ op: 'add', path: '/score', value: 1 }];
      return turn === 0 ? { call: { tool: 'state_patch', input: { operations } } } : { say: 'Written.' };
    };
    const api = await openOpenAi(script);
    const { home, project, environment } = surroundings('codex', api.url);
    const [entry = ''] = codeBlocks(textOf('docs/mcp.md'), 'toml');
    appendFileSync(path.join(home, '.codex', 'config.toml'), `\n${entry}`);
    const slow = path.join(home, 'slow-bin');
    mkdirSync(slow);
    const program = path.join(path.dirname(await builtProgram()), '../bin/countersign');
    writeFileSync(
      path.join(slow, 'countersign'),
      `#!/bin/sh\nsleep ${SLOW_START_S}\nexec '${program}' "$@"\n`,
      { mode: 0o755 },
    );
    const child = spawn('codex', ['exec', '--skip-git-repo-check', 'Write it.'], {
      cwd: project,
      env: {
        ...environment,
        PATH: [slow, installed.bin, process.env['PATH']].join(':'),
        COUNTERSIGN_URL: stage.url,
        AGENT_SESSION_NAME: session_name,
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let stderr = '';
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
    await api.close();
    expect(code, stderr).toBe(0);
    const state = must(await stage.operator.states.get(made.state_id));
    expect(state.current_data, stderr).toEqual({ score: 1 });
  },
  STORY_MS,
);
