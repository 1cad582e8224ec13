// `connect` where the settings already have hooks of Countersign: those of a user, or of `hook install`.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import jsonc from 'jsonc-parser';
import { cli } from '../io-double.js';

let dir: string;
let project: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'countersign-existing-'));
  project = join(dir, 'project');
  mkdirSync(project);
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const run = (line: string) =>
  cli([...line.split(' '), '--project-dir', project, '--yes'], { env: { HOME: dir } });
const textOf = (name: string) => readFileSync(join(project, name), 'utf8');
function put(name: string, text: string): void {
  mkdirSync(dirname(join(project, name)), { recursive: true });
  writeFileSync(join(project, name), text);
}

const CLAUDE_CODE = '.claude/settings.json';
const GEMINI = '.gemini/settings.json';
const OWN: readonly (readonly [client: string, file: string, text: string])[] = [
  ['claude-code', CLAUDE_CODE, '{"hooks":{"Stop":[HOOK]}}'],
  ['gemini', GEMINI, '{"hooks":{"AfterAgent":[HOOK]}}'],
  ['claude-code', CLAUDE_CODE, '{\n  // mine\n  "hooks": {\n    "Stop": [\n      HOOK\n    ]\n  }\n}\n'],
  ['gemini', GEMINI, '{\r\n\t"a": 1,\r\n\t"hooks": {"AfterAgent": [ HOOK ]}\r\n}'],
].map(([client = '', file = '', text = '']) => {
  const command = `countersign hook stop --client ${client} --session mine`;
  return [client, file, text.replace('HOOK', JSON.stringify({ hooks: [{ type: 'command', command }] }))];
});

describe('hooks of Countersign that a user has written', () => {
  it.each(OWN)(
    'are replaced by connect, and restored by disconnect: %s %s %j',
    async (client, file, text) => {
      put(file, text);
      expect(await run(`connect ${client}`)).toMatchObject({ code: 0 });
      expect(textOf(file)).not.toContain('--session mine');
      expect(textOf(file).split(`countersign hook stop --client ${client}`)).toHaveLength(2);
      const once = textOf(file);
      expect(await run(`connect ${client}`)).toMatchObject({ code: 0, out: '' });
      await run(`connect ${client} --gate`);
      await run(`connect ${client}`);
      expect(textOf(file)).toBe(once);
      expect(await run(`disconnect ${client}`)).toMatchObject({ code: 0 });
      expect(textOf(file)).toBe(text);
    },
  );

  it.each(OWN)('are restored by hook uninstall: %s %s %j', async (client, file, text) => {
    put(file, text);
    await run(`hook install --client ${client}`);
    expect(textOf(file)).not.toContain('--session mine');
    expect(await run(`hook uninstall --client ${client}`)).toMatchObject({ code: 0 });
    expect(textOf(file)).toBe(text);
  });

  it.each(OWN)('are restored after hook install, connect and disconnect: %s %s %j', async (...own) => {
    const [client, file, text] = own;
    put(file, text);
    await run(`hook install --client ${client}`);
    await run(`connect ${client}`);
    await run(`hook install --client ${client} --gate`);
    await run(`disconnect ${client}`);
    expect(textOf(file)).toBe(text);
  });

  it('are restored where the file has other changes since', async () => {
    const [, , own] = OWN;
    const text = own?.[2] ?? '';
    put(CLAUDE_CODE, text);
    await run('connect claude-code');
    put(CLAUDE_CODE, textOf(CLAUDE_CODE).replace('{\n', '{\n  "first": 1,\n'));
    expect(await run('disconnect claude-code')).toMatchObject({ code: 0 });
    const restored = textOf(CLAUDE_CODE);
    expect(jsonc.parse(restored)).toEqual({ first: 1, ...jsonc.parse(text) });
    expect(restored).toContain('// mine');
  });

  it('are restored in a file that its client has written anew, with the server', async () => {
    const hooks = {
      AfterAgent: [{ hooks: [{ type: 'command', command: 'countersign hook stop --client gemini' }] }],
    };
    const mcpServers = { countersign: { httpUrl: 'http://127.0.0.1:4717/mcp' } };
    put(GEMINI, JSON.stringify({ hooks, mcpServers }));
    await run('connect gemini');
    put(GEMINI, JSON.stringify({ ...JSON.parse(textOf(GEMINI)), first: 1 }, null, 4));
    expect(await run('disconnect gemini')).toMatchObject({ code: 0 });
    expect(JSON.parse(textOf(GEMINI))).toEqual({ hooks, mcpServers, first: 1 });
  });
});

describe('members of hooks that are no events of connect', () => {
  it.each([
    ['gemini', GEMINI, '{"hooks":{"disabled":["x"]}}'],
    ['gemini', GEMINI, '{"hooks":{"enabled":true,"disabled":{"a":[1]},"AfterAgent":[]}}\n'],
    [
      'claude-code',
      CLAUDE_CODE,
      '{\n  "hooks": {\n    "PreToolUse": [7, null, {"hooks": 7}, {"hooks": ["x"]}]\n  }\n}\n',
    ],
  ])('stay as they are: %s %s %j', async (client, file, text) => {
    put(file, text);
    expect(await run(`connect ${client}`)).toMatchObject({ code: 0 });
    const { AfterAgent, Stop, ...others } = JSON.parse(textOf(file)).hooks;
    expect(AfterAgent ?? Stop).toHaveLength(client === 'gemini' ? 1 : 2);
    const before = JSON.parse(text.replace(',"AfterAgent":[]', '')).hooks;
    expect(others).toMatchObject(before);
    expect(await run(`disconnect ${client}`)).toMatchObject({ code: 0 });
    expect(textOf(file)).toBe(text);
  });
});

describe('the hooks of hook install', () => {
  const FILES = [
    ['claude-code', CLAUDE_CODE],
    ['codex', '.codex/config.toml'],
    ['gemini', GEMINI],
    ['opencode', '.opencode/plugin/countersign.js'],
  ] as const;

  it.each(FILES)('of %s are there again after connect and disconnect', async (client, file) => {
    await run(`hook install --client ${client}`);
    const installed = textOf(file);
    await run(`connect ${client} --gate`);
    expect(textOf(file)).not.toBe(installed);
    await run(`connect ${client} --gate --url http://10.0.0.1:4717`);
    expect(await run(`disconnect ${client}`)).toMatchObject({ code: 0 });
    expect(textOf(file)).toBe(installed);
    expect(await run(`hook uninstall --client ${client}`)).toMatchObject({ code: 0 });
    expect(existsSync(join(project, dirname(file)))).toBe(false);
  });

  it.each(FILES)('of %s go with hook uninstall after connect', async (client, file) => {
    await run(`hook install --client ${client}`);
    await run(`connect ${client} --gate`);
    await run(`hook uninstall --client ${client}`);
    await run(`disconnect ${client}`);
    expect(existsSync(join(project, dirname(file)))).toBe(false);
  });
});
