// `connect` where the client's own settings switch off what it would add: it refuses, and writes nothing.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cli } from '../io-double.js';

let dir: string;
let project: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'countersign-off-'));
  project = join(dir, 'project');
  mkdirSync(project);
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const run = (line: string) =>
  cli([...line.split(' '), '--project-dir', project, '--yes'], { env: { HOME: dir } });
function put(name: string, settings: object): void {
  mkdirSync(dirname(join(project, name)), { recursive: true });
  writeFileSync(join(project, name), JSON.stringify(settings));
}

const CLAUDE_CODE = '.claude/settings.json';
const LOCAL = '.claude/settings.local.json';
const GEMINI = '.gemini/settings.json';

describe('connect', () => {
  it.each([
    ['claude-code', CLAUDE_CODE, { disableAllHooks: true }, 'disableAllHooks switches off its hooks'],
    ['claude-code', LOCAL, { disableAllHooks: true }, 'disableAllHooks switches off its hooks'],
    ['claude-code', LOCAL, { disabledMcpjsonServers: ['countersign'] }, 'switches off the MCP server'],
    ['gemini', GEMINI, { hooksConfig: { enabled: false } }, 'hooksConfig.enabled switches off its hooks'],
    ['gemini', GEMINI, { hooksConfig: { disabled: ['countersign'] } }, 'hooksConfig.disabled switches off'],
    ['gemini', GEMINI, { mcp: { excluded: ['countersign'] } }, 'mcp.excluded switches off the MCP server'],
    ['gemini', GEMINI, { mcp: { allowed: ['other'] } }, 'mcp.allowed switches off the MCP server'],
  ])('%s refuses %s with %j', async (client, file, settings, why) => {
    put(file, settings);
    const { code, err } = await run(`connect ${client}`);
    expect(code).toBe(2);
    expect(err).toContain(why);
    expect(err).toContain(join(project, file));
    expect(readFileSync(join(project, file), 'utf8')).toBe(JSON.stringify(settings));
    expect(existsSync(join(project, '.mcp.json'))).toBe(false);
  });

  it.each([
    ['claude-code', CLAUDE_CODE, { disableAllHooks: false, disabledMcpjsonServers: ['other'] }],
    ['gemini', GEMINI, { hooksConfig: { enabled: true }, mcp: { allowed: ['countersign'], excluded: [] } }],
  ])('%s accepts %s with %j', async (client, file, settings) => {
    put(file, settings);
    expect(await run(`connect ${client}`)).toMatchObject({ code: 0 });
    put(file, { ...settings, disableAllHooks: true, hooksConfig: { enabled: false } });
    expect(await run(`disconnect ${client}`)).toMatchObject({ code: 0 });
  });
});
