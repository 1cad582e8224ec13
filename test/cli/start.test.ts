// What a process of a client command loads: agents start dozens of them in a run.
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AGENT_CLIENTS } from '../../src/agent-clients/index.js';
import { builtProgram } from '../support/built-program.js';

const run = promisify(execFile);
let program: string;
let server: Server;
let url: string;
beforeAll(async () => {
  program = await builtProgram();
  server = createServer((_request, response) => {
    response.writeHead(404, { 'content-type': 'application/problem+json' });
    response.end('{"error":"state_not_found","detail":"none","status":404,"retryable":false}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

/** Prints the modules of Node that the process has loaded. */
const SHOW_LOADED =
  "data:text/javascript,process.on('exit', () => console.error('LOADED ' + process.moduleLoadList.join(' ')))";

it.each([
  ['state patch', ['state', 'patch', 'wfstate_1', '[{"op":"test","path":"","value":1}]']],
  ['state get', ['state', 'get', 'wfstate_1']],
  ['hook awaited', ['hook', 'awaited', '--client', 'claude-code']],
])('%s loads no fetch of Node', async (_name, argv) => {
  const env = { PATH: process.env['PATH'], COUNTERSIGN_URL: url };
  const ran = run(process.execPath, ['--import', SHOW_LOADED, program, ...argv], { env });
  ran.child.stdin?.end('{"session_id":"s","hook_event_name":"Stop"}');
  const { stderr } = await ran.catch((error: unknown) => error as { stderr: string });
  expect(stderr).toContain('state_not_found');
  const loaded = /LOADED (.*)/.exec(stderr)?.[1]?.split(' ') ?? [];
  expect(loaded).toContain('http');
  expect(loaded.filter((name) => name.includes('undici'))).toEqual([]);
});

it.each(['client-program.js', 'hook-program.js'])(
  '%s is one file, without the library of the schemas',
  (file) => {
    const text = readFileSync(join(dirname(program), file), 'utf8');
    const loaded = [...text.matchAll(/\b(?:require|import)\("([^"]+)"\)/g)].map(([, name = '']) => name);
    expect(loaded).toContain('node:util');
    expect(loaded.filter((name) => !name.startsWith('node:'))).toEqual([]);
    expect(text).not.toContain('node_modules/typebox');
  },
);

it('a hook loads no other command', () => {
  const text = readFileSync(join(dirname(program), 'hook-program.js'), 'utf8');
  expect(text).toContain('the gate: let a tool be used');
  expect(text).not.toContain('change a workflow state by a JSON Patch');
  expect(text).not.toContain('let an agent CLI take part');
});

it.each(AGENT_CLIENTS.map(({ name }) => name))(
  'connect %s finds the settings of the client in the program',
  async (name) => {
    const folder = mkdtempSync(join(tmpdir(), 'connect-'));
    const argv = ['connect', name, '--project', '--project-dir', folder, '--dry-run'];
    const env = { PATH: process.env['PATH'], HOME: folder };
    const { stdout } = await run(process.execPath, [program, ...argv], { env });
    expect(stdout).toContain('countersign');
  },
);
