import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/index.js';
import { cli } from './io-double.js';

const dir = mkdtempSync(join(tmpdir(), 'countersign-deep-'));
afterAll(() => rmSync(dir, { recursive: true }));

const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
const LIMIT = /nested deeper than 1000 levels \(jsonDepthMax\)/;
const NOWHERE = 'http://127.0.0.1:1';

describe.each([5_000, 100_000])('JSON of %i levels', (levels) => {
  const json = nested(levels);
  const file = join(dir, `${String(levels)}.json`);
  writeFileSync(file, json);

  it.each([
    ['state', 'set', 'wfstate_1', '@'],
    ['state', 'patch', 'wfstate_1', '@'],
    ['state', 'create', '--schema', 'plan', '--data', '@'],
    ['state', 'import', '@'],
    ['state', 'wait', 'wfstate_1', '--until-schema', '@'],
    ['state', 'keys', 'set', 'phase', '@', '--session', 's'],
    ['schema', 'register', '@', '--name', 'plan'],
    ['schema', 'diff', '@', '@'],
    ['session', 'create', '--contract', '@'],
    ['session', 'start', '--prompt', 'x', '--metadata', '@'],
  ])('is told by the limit in %s %s', async (...argv) => {
    const run = (document: string, stdin = '') =>
      cli([...argv.map((word) => (word === '@' ? document : word)), '--url', NOWHERE], { stdin });
    for (const ran of [await run(json), await run(file), await run('-', json)]) {
      expect(ran).toMatchObject({ code: 2, out: '', err: expect.stringMatching(LIMIT) });
    }
  });

  it('is told by the limit as the value of a condition, and as the input of a hook', async () => {
    const wait = await cli(['state', 'wait', 'wfstate_1', '--until', `/a=${json}`, '--url', NOWHERE]);
    expect(wait).toMatchObject({ code: 2, err: expect.stringMatching(LIMIT) });
    const hook = await cli(['hook', 'stop', '--client', 'claude-code', '--url', NOWHERE], { stdin: json });
    // What exit code 2 means to a hook's client is another thing.
    expect(hook).toMatchObject({ code: 1, err: expect.stringMatching(LIMIT) });
  });

  it('is refused by the client, which sends nothing', async () => {
    let asked = 0;
    const client = createClient({
      url: NOWHERE,
      fetch: () => Promise.reject(new Error(`asked ${String((asked += 1))} times`)),
    });
    const refused = await client.states.replace('wfstate_1', JSON.parse(json) as object as never, {});
    expect(refused).toMatchObject({
      ok: false,
      failure: { error: 'limit_exceeded', members: { limit: 'jsonDepthMax', maximum: 1000 } },
    });
    expect(asked).toBe(0);
  });
});

it('JSON within the limit is left to the service, which has a lower one', async () => {
  expect(await cli(['state', 'set', 'wfstate_1', nested(900), '--url', NOWHERE])).toMatchObject({ code: 3 });
});
