// The commands of the README, run as they stand: one shell, every block in order. Each agent CLI is a program of its name
// that prints what the real one printed, and records when it is asked.
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CONVERSATION, readRecording } from '../runner/clients/recording.js';
import { builtProgram } from '../support/built-program.js';
import { runShellPage } from '../support/shell-page.js';
import { codeBlocks, sectionOf, textOf } from './markdown.js';

const CLIENTS = { claude: 'claude-code', codex: 'codex', gemini: 'gemini', opencode: 'opencode' };
const README = textOf('README.md');
const bin = mkdtempSync(join(tmpdir(), 'countersign-readme-'));

beforeAll(() => {
  for (const [program, client] of Object.entries(CLIENTS)) {
    const { stdout } = readRecording(client, 'goes on with a conversation');
    writeFileSync(join(bin, `${program}.out`), stdout.map((line) => `${line}\n`).join(''));
    const script = `#!/bin/sh
if [ "$1" = mcp ]; then echo '[]'; exit; fi
cat > /dev/null
if [ "$COUNTERSIGN_RUN_PURPOSE" = state_update ]; then
  countersign state patch --merge '{"review": {"verdict": "approved"}}' > /dev/null
fi
id=$(printf '%s\\n' "$@" | grep -m1 -E '^[0-9a-f]{8}-[0-9a-f]{4}-')
sed "s/${CONVERSATION}/\${id:-${CONVERSATION}}/g" '${join(bin, program)}.out'
`;
    writeFileSync(join(bin, program), script);
    chmodSync(join(bin, program), 0o755);
  }
});
afterAll(() => rmSync(bin, { recursive: true, force: true }));

describe('the README', () => {
  test('has commands that work as they stand', { timeout: 120_000 }, async () => {
    const cwd = dirname(dirname(dirname(await builtProgram())));
    const blocks = codeBlocks(sectionOf(README, 'With your agents'), 'sh');
    const env = { HOME: bin };
    const { code, stdout, stderr } = await runShellPage(blocks.join('\n'), {
      cwd,
      bin: [bin],
      env,
      timeoutMs: 110_000,
    });
    expect(code, stdout + stderr).toBe(0);
    expect(stderr.match(/Session finished, state update completed\./g)).toHaveLength(5);
    expect(stdout).toMatch(/^"approved"$/m);
    expect(stdout).toContain('"current_data":{"review":{"verdict":"approved"}}');
  });

  test('gives each client, a script and CI five lines', () => {
    const blocks = codeBlocks(sectionOf(README, 'With your agents'), 'sh');
    expect(blocks).toHaveLength(7);
    for (const block of blocks.slice(1)) expect(block.trimEnd().split('\n')).toHaveLength(5);
  });

  test('says what it is for on one screen, before its first command', () => {
    expect(README.slice(0, README.indexOf('## Two commands')).split('\n').length).toBeLessThanOrEqual(40);
  });
});
