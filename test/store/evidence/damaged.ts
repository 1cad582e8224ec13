// Histories with values that cannot be read, and snapshots that are missing or belong to no event. Damage of one state is
// named, and hides no other.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signingKeys } from '../../../src/domain/evidence/keys.js';
import { verify } from '../../../src/main/evidence/verify.js';
import { must } from '../../service/harness.js';
import type { TestCoordinator } from '../../support/coordinator.js';
import { caught, keyOf, makeState, OTHER, SECRET, start, type Subject } from './subject.js';

/** The statement that damages a state, by the number of its rows (SQL). */
export type Damage = readonly [string, (key: string) => string];

/** Damage that every database lets happen. */
const DAMAGE: readonly Damage[] = [
  ['the oldest version of a compaction', (key) =>
    `insert into state_history_cuts (state_key, oldest_version, through_event) values (${key}, -1, 1)`],
  ['the last event before a compaction', (key) =>
    `insert into state_history_cuts (state_key, oldest_version, through_event) values (${key}, 1, -1)`],
  ['the time of an event', (key) => `update state_events set created_at = -5 where state_key = ${key} and version = 3`],
  ['the kind of an event', (key) => `update state_events set kind = 'none' where state_key = ${key} and version = 3`],
  ['the time of the first event', (key) => `update state_events set created_at = -5 where state_key = ${key} and version = 1`],
  ['the time of the newest event', (key) => `update state_events set created_at = -5 where state_key = ${key} and version = 10`],
  ['the time of the head', (key) => `update workflow_states set created_at = -1 where seq = ${key}`],
  ['a snapshot of a version to come', (key) => `update state_snapshots set version = 12 where state_key = ${key} and version = 5`],
  ['no snapshot', (key) => `delete from state_snapshots where state_key = ${key}`],
  ['no first snapshot', (key) => `delete from state_snapshots where state_key = ${key} and version = 1`],
  ['no newest snapshot', (key) => `delete from state_snapshots where state_key = ${key} and version = 9`],
]; // prettier-ignore

/**
 * @param more - Damage that this database lets happen, too.
 * @param ofSigned - Likewise, but only in a signed database.
 */
export function damagedStories(
  subject: Subject,
  more: readonly Damage[] = [],
  ofSigned: readonly Damage[] = [],
): void {
  const ofAll = [...DAMAGE, ...more];

  /** A database with one state for each damage and two whole ones around them. */
  async function damaged(secret: string | null, damage: readonly Damage[]) {
    const db = await subject.newDatabase();
    const first = await start(db, secret === null ? null : signingKeys(secret));
    const ids = new Map<string, string>();
    for (const name of ['whole', ...damage.map(([one]) => one), 'last'])
      ids.set(name, await makeState(first, name));
    await first.close();
    const idOf = (name: string) => ids.get(name) ?? '';
    for (const [name, sql] of damage) await subject.edit(db, sql(keyOf(idOf(name))));
    return { db, idOf };
  }

  async function expectWholeOnes({ operator }: TestCoordinator, idOf: (name: string) => string) {
    const patch = [{ op: 'replace', path: '/n', value: 0 }];
    for (const name of ['whole', 'last']) {
      expect(must(await operator.states.patch(idOf(name), patch, {})).version).toBe(11);
      expect(must(await operator.states.events(idOf(name), {})).events).toHaveLength(11);
    }
  }

  describe('damaged histories', () => {
    const damage = [...ofAll, ...ofSigned];
    let db: string;
    let idOf: (name: string) => string;
    let coordinator: TestCoordinator;
    beforeAll(async () => {
      ({ db, idOf } = await damaged(SECRET, damage));
      coordinator = await start(db, signingKeys(SECRET));
    }, 120_000);
    afterAll(() => coordinator.close());

    it('are all named by verify, and no other', async () => {
      const env = { COUNTERSIGN_SIGNING_SECRET: SECRET };
      const found = must(await verify({ db, stateId: null, expectedHead: null, file: null }, env));
      expect(found).toMatchObject({
        holds: false,
        states: damage.length + 2,
        tampered_states: damage.length,
      });
      expect(found.tampered.map((one) => one.state_id)).toEqual(damage.map(([name]) => idOf(name)));
      const faultOf = (name: string) => found.tampered.find((one) => one.state_id === idOf(name));
      expect(faultOf('the time of an event')).toMatchObject({
        version: 3,
        what: 'the event is damaged: its created_at is no time',
      });
      expect(faultOf('no snapshot')).toMatchObject({ version: 1, what: 'the snapshot is missing' });
      expect(faultOf('no newest snapshot')).toMatchObject({ version: 9, what: 'the snapshot is missing' });
      expect(faultOf('a snapshot of a version to come')).toMatchObject({ version: 12 });
    });

    it('are all named by doctor, and no other', async () => {
      const { findings } = must(await coordinator.operator.operations.doctor());
      const named = (name: string) => findings.filter((one) => one.subject.split('@')[0] === idOf(name));
      for (const [name] of damage)
        expect([name, named(name)]).toEqual([name, expect.arrayContaining([expect.anything()])]);
      expect([named('whole'), named('last')]).toEqual([[], []]);
      const lines = findings.map((one) => `${one.subject} ${one.detail}`);
      expect(new Set(lines).size).toBe(lines.length);
    });

    it('are damaged to a read of a version whose snapshot is missing', async () => {
      const { states } = coordinator.operator;
      expect(await caught(states.get(idOf('no snapshot')))).toBe('record_damaged');
      expect(await caught(states.get(idOf('no snapshot'), 3))).toBe('record_damaged');
      expect(await caught(states.get(idOf('no first snapshot'), 3))).toBe('record_damaged');
      expect(await caught(states.get(idOf('no first snapshot'), 6))).toBe('ok');
    });

    it('leave the others as they are', () => expectWholeOnes(coordinator, idOf));
  });

  describe('a database with damaged histories', () => {
    it('is opened with its first secret, and again with the next one', async () => {
      const { db, idOf } = await damaged(null, ofAll);
      const signed = await start(db, signingKeys(SECRET));
      await expectWholeOnes(signed, idOf);
      await signed.close();
      const changed = await start(db, signingKeys(OTHER, SECRET));
      expect(must(await changed.operator.states.get(idOf('whole'))).version).toBe(11);
      await changed.close();
      const env = { COUNTERSIGN_SIGNING_SECRET: OTHER };
      const found = must(await verify({ db, stateId: null, expectedHead: null, file: null }, env));
      expect(found.tampered_states).toBe(ofAll.length);
    }, 120_000);
  });

  describe('a state whose row was removed', () => {
    const ROW = 'delete from workflow_states where seq =';
    const EVENTS = 'delete from state_events where state_key =';
    const TREE =
      'delete from trees where root_session_id in (select root_session_id from state_events where state_key =';

    it.each<[string, (key: string) => string, boolean]>([
      ['only', (key) => `${ROW} ${key}`, true],
      ['with its events', (key) => `${EVENTS} ${key}; ${ROW} ${key}`, true],
      ['with its tree', (key) => `${TREE} ${key}); ${ROW} ${key}`, false],
    ])('is named by verify: %s', async (_what, sql, isInTree) => {
      const db = await subject.newDatabase();
      const coordinator = await start(db, signingKeys(SECRET));
      const whole = await makeState(coordinator, 'whole');
      const stateId = await makeState(coordinator, 'removed');
      await coordinator.close();
      const [row] = await subject.rows(db, `select seq from workflow_states where state_id = '${stateId}'`);
      const key = String(row?.['seq']);
      await subject.edit(db, sql(key));

      const env = { COUNTERSIGN_SIGNING_SECRET: SECRET };
      const options = { db, expectedHead: null, file: null };
      const what = 'the row of the state was removed, although its tree or its events are there';
      const tampered = [{ state_id: isInTree ? stateId : `(number ${key})`, version: null, what }];
      expect(must(await verify({ ...options, stateId: null }, env))).toMatchObject({
        holds: false,
        states: 2,
        tampered,
      });
      const one = await verify({ ...options, stateId }, env);
      if (isInTree) expect(must(one)).toMatchObject({ holds: false, tampered });
      else expect(one).toMatchObject({ failure: { error: 'state_not_found' } });
      expect(must(await verify({ ...options, stateId: whole }, env))).toMatchObject({ holds: true });
    });

    it('is not one that was deleted', async () => {
      const db = await subject.newDatabase();
      const coordinator = await start(db, signingKeys(SECRET));
      const stateId = await makeState(coordinator, 'deleted');
      must(await coordinator.operator.states.remove(stateId));
      await coordinator.close();
      const options = { db, stateId: null, expectedHead: null, file: null };
      const found = must(await verify(options, { COUNTERSIGN_SIGNING_SECRET: SECRET }));
      expect(found).toMatchObject({ holds: true, states: 0 });
    });
  });

  // The start of a service gives such a row another number in some databases.
  it.each([
    ['state_events', '9223372036854775807', 'event', 3],
    ['state_events', '-5', 'event', 3],
    ['state_snapshots', '9223372036854775807', 'snapshot', 5],
    ['state_snapshots', '-5', 'snapshot', 5],
  ])('a row of %s with the number %s is named by verify', async (table, number, kind, version) => {
    const db = await subject.newDatabase();
    const coordinator = await start(db, null);
    const [edited] = [await makeState(coordinator, 'edited'), await makeState(coordinator, 'other')];
    await coordinator.close();
    const row = `state_key = ${keyOf(edited)} and version = ${String(version)}`;
    await subject.edit(db, `update ${table} set seq = ${number} where ${row}`);
    const found = must(await verify({ db, stateId: null, expectedHead: null, file: null }, {}));
    const what = `the row of the ${kind} has a number that the service never gives`;
    expect(found).toMatchObject({ holds: false, states: 2, tampered: [{ state_id: edited, version, what }] });
  });

  describe('the number of a compaction point', () => {
    it.each([
      ['has never been given', '9999999'],
      ['is that of a later event', '(select max(seq) from state_events)'],
    ])('does not count where it %s, and is named by doctor', async (_what, number) => {
      const db = await subject.newDatabase();
      const first = await start(db, null);
      const [edited, other] = [await makeState(first, 'edited'), await makeState(first, 'other')];
      await first.close();
      const point = `insert into state_history_cuts (state_key, oldest_version, through_event)`;
      await subject.edit(db, `${point} values (${keyOf(edited)}, 1, ${number})`);
      const coordinator = await start(db, null);
      const { states, streams, operations } = coordinator.operator;
      const stream = must(await streams.all({}));
      must(await states.patch(other, [{ op: 'add', path: '/x', value: 1 }], {}));
      const seen: unknown[] = [];
      for await (const events of stream) {
        seen.push(...events.map(({ event, data }) => [event, 'state_id' in data ? data.state_id : null]));
        if (events.some(({ event }) => event === 'workflow_state_updated' || event === 'dropped')) break;
      }
      expect(seen).toEqual([
        ['bookmark', null],
        ['workflow_state_updated', other],
      ]);
      const { findings } = must(await operations.doctor());
      expect(findings.filter(({ check }) => check === 'feed_complete').map(({ subject: id }) => id)).toEqual([
        edited,
      ]);
      await coordinator.close();
    });
  });

  describe('the archive of a workflow record', () => {
    const without = (member: string) =>
      `update workflow_archives set invocations = replace(invocations, '"${member}"', '"other"')`;

    it.each([
      ['a value of it', without('done'), false],
      ['a member of it', without('summary'), false],
      ['all that it holds', "update workflow_archives set invocations = '[]'", false],
      ['its tree', "update workflow_archives set root_session_id = 'ses_other'", false],
      ['its state', "update workflow_archives set state_id = 'wfstate_other'", false],
      ['its id', "update workflow_archives set archive_id = 'arc_other'", false],
      ['its time', 'update workflow_archives set created_at = created_at + 1', false],
      ['its time, to none', 'update workflow_archives set created_at = -1', false],
      ['nothing', 'update workflow_archives set created_at = created_at', true],
      ['its age, after which it is removed', 'delete from workflow_archives', true],
    ])('is compared with the history where somebody changed %s', async (_what, edit, holds) => {
      const db = await subject.newDatabase();
      const coordinator = await start(db, null);
      const { sessions, states, workflow, operations } = coordinator.operator;
      must(await sessions.create({ session_name: 'root', external: true }));
      const made = { schema_name: 'orchestrator-workflow', root_session_name: 'root', initial_data: {} };
      const { state_id } = must(await states.create(made));
      for (const id of ['inv_1', 'inv_2', 'inv_3']) {
        const begun = { agent: 'worker', prompt: 'build it', invocation_id: id };
        must(await workflow.startInvocation(state_id, begun));
        if (id === 'inv_2') continue;
        must(await workflow.completeInvocation(state_id, id, { status: 'completed', summary: 'done' }));
      }
      const { version } = must(await workflow.compact(state_id, { keep: 1 }));
      must(await workflow.compact(state_id, { keep: 0 }));
      const [archive] = await subject.rows(
        db,
        'select archive_id from workflow_archives order by created_at, seq',
      );
      await subject.edit(db, `${edit} where archive_id = '${String(archive?.['archive_id'])}'`);
      const found = must(await verify({ db, stateId: null, expectedHead: null, file: null }, {}));
      const isRenamed = edit.includes('arc_other');
      const isUnreadable = edit.includes('-1');
      const what = isUnreadable
        ? 'the archive is damaged: its created_at is no time'
        : isRenamed
          ? 'the archive arc_other was made by no write of the history'
          : `the archive ${String(archive?.['archive_id'])} is not what was moved to it`;
      expect(found).toMatchObject({
        holds,
        tampered: holds ? [] : [{ state_id, version: isRenamed ? null : version, what }],
      });
      const { findings } = must(await operations.doctor());
      expect(findings.filter(({ check }) => check === 'archive_matches_history')).toEqual(
        holds || isUnreadable
          ? []
          : [{ check: 'archive_matches_history', subject: state_id, detail: expect.stringContaining(what) }],
      );
      await coordinator.close();
    });

    it('without a value cannot be read, is named, and blocks nothing that is recorded', async () => {
      const db = await subject.newDatabase();
      const first = await start(db, null);
      must(await first.operator.sessions.create({ session_name: 'root', external: true }));
      const made = { schema_name: 'orchestrator-workflow', root_session_name: 'root', initial_data: {} };
      const { state_id } = must(await first.operator.states.create(made));
      const begun = { agent: 'worker', prompt: 'build it', invocation_id: 'inv_1' };
      must(await first.operator.workflow.startInvocation(state_id, begun));
      const ended = { status: 'completed', summary: 'done' } as const;
      must(await first.operator.workflow.completeInvocation(state_id, 'inv_1', ended));
      must(await first.operator.workflow.compact(state_id, { keep: 0 }));
      await first.close();
      const [archive] = await subject.rows(db, 'select archive_id from workflow_archives');
      await subject.edit(
        db,
        `alter table workflow_archives drop column invocations;
        alter table workflow_archives add column invocations text`,
      );
      const coordinator = await start(db, null);
      const { workflow, operations } = coordinator.operator;
      expect(await caught(workflow.archive(state_id, String(archive?.['archive_id'])))).toBe(
        'record_damaged',
      );
      must(await workflow.startInvocation(state_id, { ...begun, invocation_id: 'inv_2' }));
      const what = 'its invocations is not a JSON array of objects';
      const found = must(await verify({ db, stateId: null, expectedHead: null, file: null }, {}));
      expect(found.tampered).toMatchObject([{ state_id, what: `the archive is damaged: ${what}` }]);
      const { findings } = must(await operations.doctor());
      expect(findings).toMatchObject([{ check: 'value_readable', detail: expect.stringContaining(what) }]);
      await coordinator.close();
    });
  });
}
