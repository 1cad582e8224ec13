// The commands about evidence, on a database that a service works on.
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stateFile } from '../../../src/cli/files/state-file.js';
import { signingKeys } from '../../../src/domain/evidence/keys.js';
import { keepStatements } from '../../../src/store/sqlite/kept-statements.js';
import { cli } from '../../cli/io-double.js';
import { must } from '../../service/harness.js';
import { makeState, SECRET, start } from '../../store/evidence/subject.js';
import type { TestCoordinator } from '../../support/coordinator.js';

const SIGNED = { env: { COUNTERSIGN_SIGNING_SECRET: SECRET } };

describe('the commands about evidence', () => {
  const dir = mkdtempSync(path.join(tmpdir(), 'countersign-verify-'));
  const db = path.join(dir, 'live.db');
  const file = (name: string) => path.join(dir, name);
  let coordinator: TestCoordinator;
  let stateId: string;
  let head: string;

  beforeAll(async () => {
    coordinator = await start(db, signingKeys(SECRET));
    stateId = await makeState(coordinator, 'root');
    const { events } = must(await coordinator.operator.states.events(stateId, {}));
    head = events.at(-1)?.hash ?? '';
  });
  afterAll(async () => {
    await coordinator.close();
    rmSync(dir, { recursive: true });
  });

  function edit(target: string, sql: string): void {
    const client = keepStatements(new Database(target));
    client.exec(sql);
    client.close();
  }

  /** Keeps writing until it is told to stop. */
  function load() {
    const end = new AbortController();
    let writes = 0;
    const done = (async () => {
      while (!end.signal.aborted) {
        const patch = [{ op: 'replace', path: '/n', value: writes }];
        must(await coordinator.operator.states.patch(stateId, patch, {}));
        writes += 1;
        await new Promise((resolve) => setImmediate(resolve));
      }
    })();
    return {
      async end() {
        end.abort();
        await done;
        return writes;
      },
    };
  }

  it('verify says what holds, and whether signatures were checked', async () => {
    const signed = await cli(['verify', '--db', db], SIGNED);
    expect(signed).toMatchObject({ code: 0, err: '' });
    expect(signed.out).toContain(
      'states: 1, events: 10, states that fail verification: 0\nThe signatures were checked',
    );
    const plain = await cli(['verify', stateId, '--db', db, '--json']);
    expect(plain.code).toBe(0);
    expect(JSON.parse(plain.out)).toMatchObject({
      holds: true,
      signatures: 'not_checked',
      unsigned_events: 0,
    });
    expect(await cli(['verify', 'wfstate_none', '--db', db])).toMatchObject({ code: 4 });
    const wrong = { env: { COUNTERSIGN_SIGNING_SECRET: 'w'.repeat(32) } };
    expect((await cli(['verify', '--db', db], wrong)).err).toContain('signed with the key');
    const short = { env: { COUNTERSIGN_SIGNING_SECRET: 'w' } };
    expect((await cli(['verify', '--db', db], short)).err).toContain('needs at least 32');
  });

  it.each([
    ['a removed signature', 'update state_events set signature = null where version = 5'],
    ['a removed signature of a head', 'delete from state_head_signatures'],
    ['another time of a head', 'update workflow_states set created_at = created_at + 1'],
    ['a cut tail', 'delete from state_events where version = (select max(version) from state_events)'],
  ])('doctor finds %s with the secret, and says which one is needed', async (_what, sql) => {
    await cli(['backup', file('unsigned.db'), '--db', db]);
    const look = (around: object) => cli(['doctor', '--db', file('unsigned.db')], around);
    expect(await look(SIGNED)).toMatchObject({ code: 0, out: 'All is well.\n' });
    edit(file('unsigned.db'), sql);
    const found = await look(SIGNED);
    expect(found).toMatchObject({ code: 1 });
    expect(found.out).toContain(stateId);
    const other = await look({ env: { COUNTERSIGN_SIGNING_SECRET: 'w'.repeat(32) } });
    expect(other.code).toBe(2);
    expect(other.err).toContain('cannot be examined: its histories are signed with the key');
    rmSync(file('unsigned.db'));
  });

  it.each(['9007199254740993', '9223372036854775807', '-5'])(
    'verify names a state whose row has the number %s',
    async (seq) => {
      await cli(['backup', file('numbered.db'), '--db', db], SIGNED);
      const tables = ['state_events', 'state_snapshots', 'state_head_signatures'];
      const moved = tables.map((table) => `update ${table} set state_key = ${seq} where state_key = 1;`);
      edit(file('numbered.db'), `update workflow_states set seq = ${seq} where seq = 1; ${moved.join(' ')}`);
      for (const named of [[], [stateId]]) {
        const verified = await cli(['verify', ...named, '--db', file('numbered.db')], SIGNED);
        expect(verified.code).toBe(1);
        expect(verified.out).toContain('states that fail verification: 1');
        expect(verified.out).toContain('the row of the state has a number that the service never gives');
      }
      rmSync(file('numbered.db'));
    },
  );

  it('verify looks for a head that was kept elsewhere', async () => {
    const known = await cli(['verify', stateId, '--db', db, '--expect-head', head], SIGNED);
    expect(known.code).toBe(0);
    const lost = await cli(['verify', stateId, '--db', db, '--expect-head', 'f'.repeat(64)], SIGNED);
    expect(lost).toMatchObject({ code: 1 });
    expect(lost.out).toContain('The expected head is in no history');
  });

  it('backs up a database under load, whole, for its owner alone, and restores it', async () => {
    const writing = load();
    const backup = await cli(['backup', file('backup.db'), '--db', db]);
    const writes = await writing.end();
    expect(backup).toMatchObject({ code: 0, out: `${db} is backed up in ${file('backup.db')}\n` });
    expect(backup.err).toMatch(/100 %\n$/);
    expect(writes).toBeGreaterThan(0);
    expect(statSync(file('backup.db')).mode & 0o777).toBe(0o600);
    expect(await cli(['verify', '--db', file('backup.db')], SIGNED)).toMatchObject({ code: 0 });

    const restored = await cli(['restore', file('backup.db'), '--db', file('new.db')], SIGNED);
    expect(restored.code).toBe(0);
    const again = await start(file('new.db'), signingKeys(SECRET));
    const { version } = must(await again.operator.states.get(stateId));
    expect(version).toBeGreaterThanOrEqual(10);
    expect(must(await coordinator.operator.states.get(stateId)).version).toBeGreaterThanOrEqual(version);
    await again.close();
    // The copy is older than what was written since.
    const now = must(
      await coordinator.operator.states.patch(stateId, [{ op: 'add', path: '/last', value: 1 }], {}),
    );
    const { events } = must(await coordinator.operator.states.events(stateId, { since: now.version - 1 }));
    const kept = events[0]?.hash ?? '';
    expect(await cli(['verify', '--db', file('backup.db'), '--expect-head', kept], SIGNED)).toMatchObject({
      code: 1,
    });
    expect(await cli(['verify', '--db', db, '--expect-head', kept], SIGNED)).toMatchObject({ code: 0 });
  });

  it('overwrites nothing, and leaves nothing half done', async () => {
    writeFileSync(file('there.db'), 'mine');
    symlinkSync(file('nowhere.db'), file('link.db'));
    const before = readdirSync(dir);
    for (const argv of [
      ['backup', '', '--db', db],
      ['backup', file('link.db'), '--db', db],
      ['restore', file('backup.db'), '--db', file('link.db')],
      ['backup', file('there.db'), '--db', db],
      ['backup', file('none/backup.db'), '--db', db],
      ['backup', file('x.db'), '--db', file('missing.db')],
      ['restore', file('backup.db'), '--db', file('there.db')],
      ['restore', file('there.db'), '--db', file('y.db')],
    ]) {
      const { code, err } = await cli(argv, SIGNED);
      expect(code).not.toBe(0);
      expect(err).not.toBe('');
    }
    expect(readdirSync(dir).toSorted()).toEqual(before.toSorted());
  });

  it('makes one whole backup of two that are made at once under one name', async () => {
    const before = readdirSync(dir);
    const both = await Promise.all([1, 2].map(() => cli(['backup', file('twice.db'), '--db', db])));
    expect(both.map(({ code }) => code).toSorted()).toEqual([0, 2]);
    expect(both.find(({ code }) => code !== 0)?.err).toContain('twice.db exists already');
    expect(await cli(['verify', '--db', file('twice.db')], SIGNED)).toMatchObject({ code: 0 });
    rmSync(file('twice.db'));
    expect(readdirSync(dir).toSorted()).toEqual(before.toSorted());
  });

  it('restores no backup that does not hold', async () => {
    await cli(['backup', file('edited.db'), '--db', db]);
    edit(file('edited.db'), `update state_events set patch = '[]' where version = 5`);
    const { code, err } = await cli(['restore', file('edited.db'), '--db', file('z.db')], SIGNED);
    expect(code).toBe(1);
    expect(err).toContain(`the state ${stateId}, version 5: the event is not as it was written`);
    expect(readdirSync(dir)).not.toContain('z.db');
  });

  it.each([
    ['a signature of another type', `update state_events set signature = x'00ff' where version = 5`, 'version 5: the event is damaged'],
    ['a head of another type', `update workflow_states set revision = 'x'`, 'its head: the state is damaged'],
    ['no snapshot', 'delete from state_snapshots', 'version 1: the snapshot is missing'],
  ])('names the state where a database has %s, and restores nothing', async (_what, sql, said) => {
    await cli(['backup', file('typed.db'), '--db', db]);
    edit(file('typed.db'), sql);
    const { code, err } = await cli(['restore', file('typed.db'), '--db', file('z.db')], SIGNED);
    expect(code).toBe(1);
    expect(err).toContain(`the state ${stateId}, ${said}`);
    const verified = await cli(['verify', '--db', file('typed.db'), '--json'], SIGNED);
    expect(verified.code).toBe(1);
    expect(JSON.parse(verified.out)).toMatchObject({ tampered: [{ state_id: stateId }] });
    expect((await cli(['doctor', '--db', file('typed.db')], SIGNED)).code).toBe(1);
    rmSync(file('typed.db'));
    expect(readdirSync(dir)).not.toContain('z.db');
  }); // prettier-ignore

  it.each([
    ['is cut off', (bytes: Buffer) => bytes.subarray(0, 40_000)],
    [
      'has a page that cannot be read',
      (bytes: Buffer, root: number) => bytes.fill(0xff, (root - 1) * 4096, (root - 1) * 4096 + 40),
    ],
  ])('refuses a file that %s as damaged, and restores nothing', async (_what, damage) => {
    await cli(['backup', file('whole.db'), '--db', db]);
    const client = keepStatements(new Database(file('whole.db')));
    const root = client.prepare("select rootpage from sqlite_schema where name = 'workflow_states'").pluck();
    const at = Number(root.get());
    client.close();
    writeFileSync(file('damaged.db'), damage(readFileSync(file('whole.db')), at));
    rmSync(file('whole.db'));
    const before = readdirSync(dir);
    for (const argv of [
      ['verify', '--db', file('damaged.db')],
      ['restore', file('damaged.db'), '--db', file('z.db')],
      ['backup', file('z.db'), '--db', file('damaged.db')],
    ]) {
      const { code, err } = await cli(argv, SIGNED);
      expect([code, err]).toEqual([1, expect.stringMatching(/\(record_damaged\)\n {2}.*damaged/)]);
    }
    expect(readdirSync(dir)).toEqual(before);
    rmSync(file('damaged.db'));
  });

  it.each(['postgres://localhost/x', 'postgresql://u:p@localhost/x'])('names pg_dump for %s', async (url) => {
    const { code, err } = await cli(['backup', file('p.db'), '--db', url]);
    expect(code).not.toBe(0);
    expect(err).toContain('pg_dump');
    const restored = await cli(['restore', file('backup.db'), '--db', url]);
    expect(restored.err).toContain('pg_restore');
  });

  it('verifies an export, and names what is wrong with it', async () => {
    const { operator } = coordinator;
    const state = must(await operator.states.get(stateId));
    const schema = must(await operator.schemas.get('any', 1));
    const { events } = must(await operator.states.events(stateId, { limit: 1000 }));
    const whole = stateFile(state, schema, events);
    const check = async (name: string, content: unknown) => {
      writeFileSync(file(name), JSON.stringify(content));
      return cli(['verify', '--export', file(name), '--json'], SIGNED);
    };
    expect(JSON.parse((await check('whole.json', whole)).out)).toMatchObject({
      holds: true,
      signatures: 'checked',
    });
    const changed = {
      ...whole,
      events: events.map((one) => (one.version === 4 ? { ...one, patch: [] } : one)),
    };
    const found = await check('changed.json', changed);
    expect(found.code).toBe(1);
    expect(JSON.parse(found.out)).toMatchObject({ tampered: [{ state_id: stateId, version: 4 }] });
    expect((await check('document.json', { ...whole, current_data: {} })).code).toBe(1);
    for (const said of [
      { created_at: '2026-01-01T00:00:00.000Z' },
      { updated_at: '' },
      { updated_by: 'ses_other' },
    ]) {
      const other = await check('state.json', { ...whole, state: { ...whole.state, ...said } });
      expect(JSON.parse(other.out)).toMatchObject({
        tampered: [
          { version: null, what: `the state has another ${String(Object.keys(said)[0])} than its history` },
        ],
      });
    }
    expect((await check('tail.json', { ...whole, events: events.slice(0, -1) })).code).toBe(1);
    const later = { ...whole, events: events.slice(3) };
    expect(JSON.parse((await check('later.json', later)).out)).toMatchObject({ holds: true });
    expect((await check('plain.json', stateFile(state, schema, null))).err).toContain(
      'is no export with a history',
    );
    expect((await cli(['verify', '--export', file('whole.json'), '--db', db], SIGNED)).code).toBe(2);
    const ofOthers = { ...SIGNED, COUNTERSIGN_DB: db };
    expect((await cli(['verify', '--export', file('whole.json')], ofOthers)).code).toBe(0);
  });
});
