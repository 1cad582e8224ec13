// What signals make of the lasting commands.
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { isAlive } from '../support/alive.js';
import { eventually } from '../support/eventually.js';
import { Program } from '../support/program.js';
import { must, Stage } from '../support/stage.js';

describe.concurrent('a signal', () => {
  it('a terminal that is closed drains a runner: nothing of its runs outlives it', async () => {
    const stage = await Stage.open({ runner: null });
    const pidFile = path.join(stage.dir, 'pid');
    const exec = `echo $$ > ${pidFile}; exec sleep 600`;
    const runner = await Program.start(['runner', '--url', stage.url, '--exec', exec]);
    try {
      const run = must(await stage.operator.runs.create({ type: 'start_session', prompt: 'x' }));
      await eventually(
        'the agent runs',
        () => existsSync(pidFile) && readFileSync(pidFile, 'utf8').endsWith('\n'),
      );
      // A shell may pass on the signal that the terminal has already sent.
      runner.signal('SIGHUP');
      runner.signal('SIGHUP');
      expect((await runner.end('SIGTERM')).code).toBe(0);
      expect(isAlive(Number(readFileSync(pidFile, 'utf8')))).toBe(false);
      expect(must(await stage.operator.runs.get(run.run_id))).toMatchObject({
        status: 'pending',
        error: 'the runner was shut down',
      });
    } finally {
      await runner.end('SIGKILL');
      await stage.close();
    }
  });

  it('a terminal that is closed stops a coordinator as SIGTERM does', async () => {
    const stage = await Stage.open({ runner: null });
    try {
      expect((await stage.coordinator.end('SIGHUP')).code).toBe(0);
    } finally {
      await stage.close();
    }
  });

  it('one SIGTERM ends a runner that cannot register', async () => {
    let heard: () => void = () => undefined;
    const asked = new Promise<void>((resolve) => (heard = resolve));
    const server = createServer(({ method }, response) => {
      if (method === 'POST') heard();
      response.writeHead(method === 'POST' ? 503 : 200, { 'content-type': 'application/json' });
      response.end(
        method === 'POST'
          ? '{"error":"overloaded","detail":"","retryable":true}'
          : '{"items":[],"next_cursor":null}',
      );
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
    const runner = await Program.start(['runner', '--url', url, '--exec', 'true']);
    try {
      await asked;
      expect(await runner.end('SIGTERM')).toMatchObject({ code: 0, stdout: '' });
    } finally {
      await runner.end('SIGKILL');
      server.close();
    }
  });
});
