// `countersign mcp` ends where its client keeps standard output open, and does not read it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { builtProgram } from '../support/built-program.js';

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};
/** Their answers are many times what a pipe holds. */
const LISTS = Array.from({ length: 300 }, (_, id) => ({ jsonrpc: '2.0', id: id + 1, method: 'tools/list' }));
/** A program that has not ended this long after it should does not end by itself. */
const ENDS_MS = 20_000;

describe.concurrent('an MCP server whose output is not read', () => {
  it.each([
    ['its input ends', null],
    ['it gets SIGTERM', 'SIGTERM'],
  ] as const)('ends when %s', async (_, signal) => {
    const server = spawn(process.execPath, [await builtProgram(), 'mcp', '--url', 'http://127.0.0.1:1'], {
      stdio: ['pipe', 'pipe', 'ignore'],
      env: { PATH: process.env['PATH'] },
    });
    let late: NodeJS.Timeout | undefined;
    try {
      const ended = once(server, 'exit');
      server.stdin.write(`${[INITIALIZE, ...LISTS].map((one) => JSON.stringify(one)).join('\n')}\n`);
      await once(server.stdout, 'readable');
      late = setTimeout(() => server.kill('SIGKILL'), ENDS_MS);
      if (signal === null) server.stdin.end();
      else server.kill(signal);
      expect(await ended).toEqual([0, null]);
    } finally {
      clearTimeout(late);
      server.kill('SIGKILL');
    }
  });
});
