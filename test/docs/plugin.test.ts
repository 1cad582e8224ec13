// docs/integrations/claude-code: a plugin that installs as it is, with the hooks that `hook install` writes.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { cli } from '../cli/io-double.js';
import { ROOT, textOf } from './markdown.js';

const DIR = 'docs/integrations/claude-code';
const json = (file: string) => JSON.parse(textOf(join(DIR, file)));

describe('the plugin for Claude Code', () => {
  test('has the version of the program, and is offered by its own marketplace', () => {
    const { version } = JSON.parse(textOf('package.json'));
    expect(json('.claude-plugin/plugin.json')).toMatchObject({
      name: 'countersign',
      version,
      license: 'MIT',
    });
    const { plugins } = json('.claude-plugin/marketplace.json');
    expect(plugins).toEqual([expect.objectContaining({ name: 'countersign', source: './' })]);
  });

  test('has the hooks that are installed', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'countersign-plugin-'));
    await cli(['hook', 'install', '--client', 'claude-code', '--project-dir', dir, '--yes'], {
      env: { HOME: dir },
    });
    const installed = JSON.parse(readFileSync(join(dir, '.claude/settings.json'), 'utf8'));
    rmSync(dir, { recursive: true });
    expect(json('hooks/hooks.json').hooks).toEqual(installed.hooks);
  });

  test('starts the MCP server by a command that there is', async () => {
    expect(json('.mcp.json')).toEqual({
      mcpServers: { countersign: { command: 'countersign', args: ['mcp'], alwaysLoad: true } },
    });
    expect((await cli(['mcp', '--help'])).code).toBe(0);
  });

  test('has a skill whose tools there are', () => {
    const skill = textOf(join(DIR, 'skills/workflow-state/SKILL.md'));
    expect(skill).toMatch(/^---\nname: workflow-state\ndescription: .+\n---\n/);
    const page = textOf('docs/mcp.md');
    const tools = [...skill.matchAll(/the tool `(\w+)`/g)].map(([, name = '']) => name);
    expect(tools.length).toBeGreaterThan(2);
    for (const tool of tools) expect(page).toContain(`\`${tool}\``);
  });

  test('has a skill whose commands there are, with their flags', async () => {
    const skill = textOf(join(DIR, 'skills/workflow-state/SKILL.md')).replaceAll(/\s+/g, ' ');
    const commands = [...skill.matchAll(/`countersign ([^`]+)`/g)].map(([, command = '']) => command);
    expect(commands.length).toBeGreaterThan(2);
    for (const command of commands) {
      const [group = '', name = ''] = command.split(' ');
      const { code, out } = await cli([group, name, '--help'], { width: 500 });
      expect(code, command).toBe(0);
      const flags = command.matchAll(/ (--[a-z-]+)/g);
      for (const [, flag = ''] of flags) expect(out, `${group} ${name}`).toContain(flag);
    }
  });

  test('has a README whose files there are', () => {
    for (const [, target = ''] of textOf(join(DIR, 'README.md')).matchAll(/\]\(([^)#]+)[^)]*\)/g)) {
      expect(existsSync(join(ROOT, DIR, target)), target).toBe(true);
    }
  });
});
