// What signals make of the lasting commands.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { isAlive } from '../support/alive.js';
import { builtProgram } from '../support/built-program.js';
import { eventually } from '../support/eventually.js';
import { Program } from '../support/program.js';
import { must, Stage } from '../support/stage.js';

/** Runs a program on a terminal of its own; few systems lack it. */
const SCRIPT = '/usr/bin/script';

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

  it('a terminal that is gone does not change the exit code', async () => {
    const stage = await Stage.open({ runner: null });
    const noted = path.join(stage.dir, 'code');
    const argv = [process.execPath, await builtProgram(), 'runner', '--url', stage.url, '--exec', 'true'];
    // The shell outlives the terminal, and passes on its signal.
    const session = `'${argv.join("' '")}' & trap "kill -HUP $!" HUP; wait $!; wait $!; echo "code $?" > '${noted}'`;
    // Without one, the shell gets the signal that the end of a terminal would send.
    const hasTerminal = existsSync(SCRIPT);
    const [program, ...args] = hasTerminal
      ? [SCRIPT, '-qec', session, '/dev/null']
      : ['/bin/sh', '-c', session];
    const terminal = spawn(program, args, {
      env: { ...process.env, SHELL: '/bin/sh' },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    try {
      let shown = '';
      terminal.stdout.on('data', (chunk: Buffer) => (shown += chunk.toString()));
      await eventually('the runner is ready', () => shown.includes('is ready'));
      terminal.kill(hasTerminal ? 'SIGKILL' : 'SIGHUP');
      await eventually(
        'the runner ends',
        () => existsSync(noted) && readFileSync(noted, 'utf8').endsWith('\n'),
      );
      expect(readFileSync(noted, 'utf8')).toBe('code 0\n');
    } finally {
      terminal.kill('SIGKILL');
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
