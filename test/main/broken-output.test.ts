// What the built program ends with where nobody takes what it writes.
import { spawn, type StdioOptions } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { builtProgram } from '../support/built-program.js';

type Output = 'read' | 'closed' | 'full';

let program: string;
let server: Server;
let url: string;
beforeAll(async () => {
  program = await builtProgram();
  server = createServer((request, response) => {
    const found = request.url?.startsWith('/runs') === true;
    response.writeHead(found ? 200 : 404, {
      'content-type': found ? 'application/json' : 'application/problem+json',
    });
    response.end(
      found
        ? '{"items":[],"next_cursor":null}'
        : '{"error":"state_not_found","detail":"none","status":404,"retryable":false}',
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
});
afterAll(() => server.close());

async function run(argv: readonly string[], stdin: string, { stdout, stderr }: Outputs) {
  const full = openSync('/dev/full', 'w');
  const of = (output: Output) => (output === 'full' ? full : 'pipe');
  const stdio: StdioOptions = ['pipe', of(stdout), of(stderr)];
  const child = spawn(process.execPath, [program, ...argv], {
    stdio,
    env: { PATH: process.env['PATH'], COUNTERSIGN_URL: url },
  });
  closeSync(full);
  if (stdout === 'closed') child.stdout?.destroy();
  if (stderr === 'closed') child.stderr?.destroy();
  let err = '';
  child.stdout?.resume();
  child.stderr?.on('data', (chunk: Buffer) => (err += String(chunk)));
  child.stdin?.end(stdin);
  const code = await new Promise((resolve) => child.on('close', resolve));
  return { code, err };
}

interface Outputs {
  readonly stdout: Output;
  readonly stderr: Output;
}

const GET = ['state', 'get', 'none'];
const LIST = ['run', 'list'];
const GATE = ['hook', 'pre-tool-use', '--client', 'claude-code'];
const STOP = ['hook', 'stop', '--client', 'claude-code', '--wait', '0s'];
const READ = { stdout: 'read', stderr: 'read' } as const;
const TOOL = JSON.stringify({
  hook_event_name: 'PreToolUse',
  session_id: 's',
  transcript_path: '/tmp/t.jsonl',
  cwd: '/tmp',
  tool_name: 'Write',
  tool_input: {},
});

it.each<[string, string[], string, Partial<Outputs>, number]>([
  ['a refused command', GET, '', { stderr: 'closed' }, 4],
  ['a refused command', GET, '', { stderr: 'full' }, 4],
  ['a list', LIST, '', { stdout: 'closed' }, 0],
  ['a list', LIST, '', { stdout: 'full' }, 1],
  ['a list', LIST, '', { stdout: 'full', stderr: 'full' }, 1],
  ['a gate without input', GATE, 'none', { stderr: 'closed' }, 2],
  ['a gate without input', GATE, 'none', { stderr: 'full' }, 2],
  ['a gate', GATE, TOOL, { stdout: 'closed' }, 2],
  ['a gate', GATE, TOOL, { stdout: 'full' }, 2],
  ['a gate', GATE, TOOL, { stdout: 'full', stderr: 'closed' }, 2],
  ['a stop without input', STOP, 'none', { stderr: 'closed' }, 1],
])('%s (%j) with the input %s and the outputs %j ends with %i', async (_, argv, stdin, outputs, code) => {
  expect((await run(argv, stdin, { ...READ, ...outputs })).code).toBe(code);
});

it('a full standard output is told in one line', async () => {
  const { err } = await run(LIST, '', { ...READ, stdout: 'full' });
  expect(err).toBe('Nothing to list.\nerror: Standard output cannot be written (ENOSPC)\n');
});

it.each(['full', 'closed'] as const)(
  'a coordinator whose log cannot be written (%s) answers, and ends when it is told to',
  async (log) => {
    const folder = mkdtempSync(path.join(tmpdir(), 'broken-output-'));
    const full = openSync('/dev/full', 'w');
    const child = spawn(
      process.execPath,
      [program, 'serve', '--port', '0', '--db', path.join(folder, 'test.db'), '--log-level', 'debug'],
      { stdio: ['ignore', 'pipe', log === 'full' ? full : 'pipe'] },
    );
    try {
      closeSync(full);
      child.stderr?.destroy();
      const ended = new Promise((resolve) => child.on('close', resolve));
      const at = await new Promise<string>((resolve) =>
        child.stdout?.on('data', (chunk: Buffer) => resolve(/http:\S+/.exec(String(chunk))?.[0] ?? '')),
      );
      expect((await fetch(`${at}/sessions/none`)).status).toBe(404);
      child.kill('SIGTERM');
      expect(await ended).toBe(0);
    } finally {
      child.kill('SIGKILL');
      rmSync(folder, { recursive: true });
    }
  },
);
