// A token that no header can carry is refused with a sentence, wherever one can be given, and never told.
import { describe, expect, it } from 'vitest';
import { Program } from '../../support/program.js';

const NOWHERE = 'http://127.0.0.1:1';
const SENTENCE =
  /The token \(COUNTERSIGN_TOKEN, --token, or the option token of a client\) is not one: character 4 is U\+2192, and only printable ASCII can be sent\./;
const USAGE = 2;

const GIVEN: readonly (readonly [string, readonly string[], Record<string, string>, number])[] = [
  ['a command, by its flag', ['run', 'list', '--token', 'tok→n'], {}, USAGE],
  ['a command, by the environment', ['run', 'list'], { COUNTERSIGN_TOKEN: 'tok→n' }, USAGE],
  ['a command with --json', ['run', 'list', '--json'], { COUNTERSIGN_TOKEN: 'tok→n' }, USAGE],
  ['the runner', ['runner', '--executor', 'codex', '--token', 'tok→n'], {}, USAGE],
  ['MCP on stdio', ['mcp'], { COUNTERSIGN_TOKEN: 'tok→n' }, USAGE],
  ['a hook', ['hook', 'stop', '--client', 'claude-code'], { COUNTERSIGN_TOKEN: 'tok→n' }, 1],
];

describe('a token with a character that is not ASCII', () => {
  it.each(GIVEN)('is refused by %s', async (_, args, env, code) => {
    const program = await Program.start(args, {
      before: `exec <<'END'\n{"session_id":"s","cwd":"/tmp","hook_event_name":"Stop"}\nEND`,
      env: { COUNTERSIGN_URL: NOWHERE, AGENT_SESSION_NAME: 's', ...env },
    });
    const ended = await program.ended;
    expect(ended.stderr).toMatch(SENTENCE);
    expect(ended.stderr).not.toMatch(/ByteString|tok→n|\n +at /);
    expect(ended.code).toBe(code);
  });
});
