// Hearing of changes from the real program: over a kill, from CI, after histories were cut.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createClient, watch, type CountersignService, type Result } from '../../../src/client/index.js';
import { freePort } from '../../support/free-port.js';
import { Program } from '../../support/program.js';

function must<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(`${result.failure.error}: ${result.failure.detail}`);
  return result.value;
}

describe('hearing', () => {
  let dir: string;
  let port: number;
  let program: Program;
  let client: CountersignService;
  let id: string;
  const start = async (...more: string[]) => {
    const db = join(dir, 'c.db');
    program = await Program.start([
      'serve',
      '--port',
      String(port),
      '--db',
      db,
      '--log-level',
      'error',
      ...more,
    ]);
    await program.printed(/is ready/);
  };
  beforeEach(async () => {
    dir = mkdtempSync(join(tmpdir(), 'countersign-'));
    port = await freePort();
    client = createClient({ url: `http://127.0.0.1:${String(port)}`, retry: false });
    await start('--history-keep', '50');
    must(await client.schemas.register({ name: 'plan', json_schema: { type: 'object' } }));
    id = must(await client.states.create({ schema_name: 'plan', initial_data: { n: 1 } })).state_id;
  });
  afterEach(async () => {
    await program.end('SIGKILL');
    rmSync(dir, { recursive: true, force: true });
  });
  const write = async (n: number) => must(await client.states.mergePatch(id, { n }, {})).version;
  const cli = (...args: string[]) =>
    Program.start(args, { env: { COUNTERSIGN_URL: `http://127.0.0.1:${String(port)}` } });

  it('goes on after a SIGKILL without a gap and without anything twice; SIGTERM is not held up by streams', async () => {
    const heard: unknown[] = [];
    const everything: string[] = [];
    const stop = new AbortController();
    const all = (async () => {
      for await (const item of watch(client, {}, { since: '0-0', signal: stop.signal })) {
        const { event, id: place } = must(item);
        if (event !== 'bookmark') everything.push(place);
      }
    })();
    for await (const item of watch(client, id, { since: 0 })) {
      const { event, data } = must(item);
      if (event !== 'workflow_state_updated') continue;
      heard.push(data.version);
      if (heard.length === 30) break;
      if (heard.length % 10 === 0) {
        await program.end(heard.length === 10 ? 'SIGKILL' : 'SIGTERM');
        await start();
      }
      await write(heard.length + 1);
    }
    expect(heard).toEqual(Array.from({ length: 30 }, (_, i) => i + 1));
    while (everything.filter((place) => place.startsWith('30-')).length === 0)
      await new Promise((resolve) => setTimeout(resolve, 20));
    stop.abort();
    await all;
    expect(new Set(everything).size).toBe(everything.length);
  });

  it('tells a CI job by the exit code of state wait what came of it, over a restart', async () => {
    const done = ['state', 'wait', id, '--until', '/n=2', '--fail-on', '/n="failed"'];
    const waiting = await cli(...done, '--timeout', '60s');
    await new Promise((resolve) => setTimeout(resolve, 300));
    await program.end('SIGKILL');
    await start();
    await write(2);
    expect(await waiting.ended).toMatchObject({ code: 0, stdout: expect.stringContaining('matches') });
    must(await client.states.mergePatch(id, { n: 'failed' }, {}));
    expect((await (await cli(...done, '--timeout', '60s')).ended).code).toBe(9);
    expect((await (await cli('state', 'wait', id, '--until', '/n=7', '--timeout', '100ms')).ended).code).toBe(
      8,
    );
    expect((await (await cli('state', 'wait', 'none', '--until', '/n=7')).ended).code).toBe(4);
  });

  it('is refused by name where the past was cut away', async () => {
    for (let n = 2; n <= 200; n += 1) await write(n);
    let error = '';
    while (error === '') {
      const old = await client.states.events(id, { since: 0 });
      error = old.ok ? '' : old.failure.error;
      if (old.ok) await program.end().then(() => start('--history-keep', '50'));
      // Histories are cut a moment after the start.
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
    expect(error).toBe('version_compacted');
    const watching = await (await cli('state', 'watch', id, '--since', '3', '--json')).ended;
    expect([watching.code, JSON.parse(watching.stderr).error]).toEqual([4, 'version_compacted']);
    expect(must(await client.operations.doctor()).findings).toEqual([]);
  });
});
