// What a service does with edited histories, with and without a signing secret. The same on every database.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signingKeys } from '../../../src/domain/evidence/keys.js';
import { examineFile } from '../../../src/main/commands/doctor-file.js';
import { verify } from '../../../src/main/evidence/verify.js';
import { must } from '../../service/harness.js';
import { eventually } from '../../support/eventually.js';
import type { TestCoordinator } from '../../support/coordinator.js';
import {
  caught,
  expectRefused,
  forgedEvent,
  forgedSnapshot,
  keyOf,
  makeState,
  OTHER,
  SECRET,
  start,
  type Subject,
} from './subject.js';

/** An edit of the rows of a state; `other` is another state. */
type Edit = (subject: Subject, db: string, stateId: string, other: string) => string | Promise<string>;

const of = (stateId: string, version: number) =>
  `where state_key = ${keyOf(stateId)} and version = ${String(version)}`;

/** Each makes the newest document one that does not hold. */
const NEWEST: readonly [string, Edit][] = [
  ['a changed member of a patch', (_s, _db, id) => `update state_events set patch = replace(patch, '10', '11') ${of(id, 10)}`],
  ['a changed nested member of a snapshot', (_s, _db, id) => `update state_snapshots set text = replace(text, '"ok":true', '"ok":false') ${of(id, 9)}`],
  ['a changed link', (_s, _db, id) => `update state_events set previous_hash = hash ${of(id, 10)}`],
  ['another writer', (_s, _db, id) => `update state_events set token_name = 'ann' ${of(id, 10)}`],
  ['another time', (s, db, id) => `update state_events set created_at = created_at + 1 ${of(id, 10)}; ${db === '' ? '' : s.headAt(10, keyOf(id))}`],
  ['rows of two states that were exchanged', (_s, _db, id, other) =>
    `update state_events set state_key = 0 - 1 ${of(id, 10)};
     update state_events set state_key = ${keyOf(id)} ${of(other, 10)};
     update state_events set state_key = ${keyOf(other)} where state_key = 0 - 1 and version = 10`],
]; // prettier-ignore

/** Only noticed with signatures. */
const SIGNED: readonly [string, Edit][] = [
  ['a forged event with the hash that fits', forgedEvent10],
  ['a forged snapshot with the hash that fits', (s, db, id) => forgedSnapshot(s, db, id, 9)],
  ['a snapshot without hash and signature', (_s, _db, id) =>
    `update state_snapshots set text = replace(text, '"ok":true', '"ok":false'), hash = null, event_hash = null, signature = null ${of(id, 9)}`],
  ['a changed signature of an event', (_s, _db, id) => `update state_events set signature = signature || 'x' ${of(id, 10)}`],
  ['a removed signature of an event', (_s, _db, id) => `update state_events set signature = null ${of(id, 10)}`],
  ['a changed signature of a snapshot', (_s, _db, id) => `update state_snapshots set signature = 'x' ${of(id, 9)}`],
  ['a changed signature of the head', (s, _db, id) => `update ${s.heads.table} set signature = 'x.y' where ${s.heads.key} = ${keyOf(id)}`],
  ['a removed signature of the head', (s, _db, id) => `update ${s.heads.table} set signature = null where ${s.heads.key} = ${keyOf(id)}`],
  ['a head that names another schema', (_s, _db, id) => `update workflow_states set schema_id = (select schema_id from workflow_schemas where name = 'other') where state_id = '${id}'`],
  ['a head that claims an unsigned past', (s, _db, id) => `update ${s.heads.table} set unsigned_through = 10 where ${s.heads.key} = ${keyOf(id)}`],
  ['a cut tail', (s, _db, id) => `delete from state_events ${of(id, 10)}; ${s.headAt(9, keyOf(id))}`],
]; // prettier-ignore

/** In versions before the newest snapshot: the newest document does not depend on them. */
const OLD: readonly [string, Edit][] = [
  ['an old event', (_s, _db, id) => `update state_events set patch = replace(patch, '3', '4') ${of(id, 3)}`],
  ['a dropped old event', (_s, _db, id) => `delete from state_events ${of(id, 3)}`],
  ['an old link', (_s, _db, id) => `update state_events set previous_hash = hash ${of(id, 3)}`],
]; // prettier-ignore

function forgedEvent10(subject: Subject, db: string, stateId: string) {
  return forgedEvent(subject, db, stateId, 10);
}

export function evidenceStories(subject: Subject): void {
  describe.each([
    ['signed', signingKeys(SECRET), [...NEWEST, ...SIGNED]],
    ['unsigned', null, NEWEST],
  ] as const)('edited histories, %s', (_signed, keys, newest) => {
    let coordinator: TestCoordinator;
    const ids = new Map<string, string>();
    const idOf = (name: string) => ids.get(name) ?? '';

    let db: string;
    beforeAll(async () => {
      db = await subject.newDatabase();
      const before = await start(db, keys);
      must(
        await before.operator.schemas.register({
          name: 'other',
          json_schema: { type: 'object', title: 'x' },
        }),
      );
      const cases = [...newest, ...OLD];
      for (const name of ['sound', 'spare', ...cases.map(([one]) => one)]) {
        ids.set(name, await makeState(before, name));
      }
      await before.close();
      for (const [name, edit] of cases) {
        await subject.edit(db, await edit(subject, db, idOf(name), idOf('spare')));
      }
      coordinator = await start(db, keys);
    }, 120_000);
    afterAll(() => coordinator.close());

    it.each(newest.map(([name]) => name))('refuses a state with %s', async (name) => {
      await expectRefused(coordinator, idOf(name));
      const tool = { hook_event_name: 'PreToolUse', session_id: name, tool_name: 'Write', tool_input: {} };
      const asked = coordinator.operator.hooks.answer('claude-code', tool, { session: name });
      expect(must(await asked)).toMatchObject({ verdict: 'deny' });
    });

    it.each(OLD.map(([name]) => name))('refuses the past of a state with %s', async (name) => {
      const { states } = coordinator.operator;
      expect(await caught(states.events(idOf(name), {}))).toBe('state_tampered');
      expect(await caught(states.get(idOf(name), 4))).toBe('state_tampered');
    });

    it('goes on with other states, and counts those that do not hold', async () => {
      const { operator, service } = coordinator;
      const patch = [{ op: 'replace', path: '/n', value: 0 }];
      expect(must(await operator.states.patch(idOf('sound'), patch, {})).version).toBe(11);
      expect(await caught(operator.states.events(idOf('sound'), {}))).toBe('ok');
      const counts = await service.counts();
      expect(counts['tampered_states']?.['met']).toBeGreaterThanOrEqual(newest.length + OLD.length);
    });

    it('names each of them in verify, also while the service works on the database', async () => {
      const env = keys === null ? {} : { COUNTERSIGN_SIGNING_SECRET: SECRET };
      const found = must(await verify({ db, stateId: null, expectedHead: null, file: null }, env));
      expect(found).toMatchObject({ holds: false, signatures: keys === null ? 'none' : 'checked' });
      const versions = new Map(found.tampered.map((one) => [one.state_id, one.version]));
      for (const [name] of newest) expect([9, 10, null]).toContain(versions.get(idOf(name)));
      for (const [name] of OLD) expect([3, 4]).toContain(versions.get(idOf(name)));
      expect(versions.has(idOf('sound'))).toBe(false);
      const sound = must(await verify({ db, stateId: idOf('sound'), expectedHead: null, file: null }, env));
      expect(sound).toMatchObject({ holds: true, states: 1, tampered: [] });
    });

    it.each([
      ['of the service', () => coordinator.operator.operations.doctor()],
      ['of the database', () => examineFile(db, keys === null ? {} : { COUNTERSIGN_SIGNING_SECRET: SECRET })],
    ])('names each of them in the doctor %s, and no sound state', async (_of, doctor) => {
      const { findings } = must(await doctor());
      const subjects = new Set(findings.map((one) => one.subject));
      for (const name of [...newest, ...OLD].map(([one]) => one)) expect(subjects).toContain(idOf(name));
      expect(subjects).not.toContain(idOf('sound'));
    });
  });

  describe('a compacted history', () => {
    const CUT = "where state_key = (select seq from workflow_states where state_id = 'ID')";
    it.each([
      ['signed', signingKeys(SECRET), { COUNTERSIGN_SIGNING_SECRET: SECRET }],
      ['unsigned', null, {}],
    ] as const)('holds, and what somebody else has cut off it does not, %s', async (_how, keys, env) => {
      const db = await subject.newDatabase();
      const compacting = { historyVersionsMax: 5, retentionStepMs: 1, retentionRoundMs: 5 };
      const first = await start(db, keys, compacting);
      const [sound, point, more] = [
        await makeState(first, 'sound'),
        await makeState(first, 'point'),
        await makeState(first, 'more'),
      ];
      const oldest = async (stateId: string) =>
        must(await first.operator.states.events(stateId, {})).events[0]?.version;
      await eventually('all are compacted', async () => {
        const found = await Promise.all([sound, point, more].map(oldest));
        return found.every((version) => version === 5);
      });
      await first.close();
      const look = async () =>
        must(await verify({ db, stateId: null, expectedHead: null, file: null }, env)).tampered.map(
          (one) => one.state_id,
        );
      expect(await look()).toEqual([]);
      await subject.edit(db, `delete from state_events ${CUT} and version < 9`.replace('ID', more));
      await subject.edit(db, `delete from state_snapshots ${CUT} and version < 9`.replace('ID', more));
      expect(await look()).toEqual([more]);
      // Only a signature shows that somebody has also moved the point.
      await subject.edit(db, `update state_history_cuts set oldest_version = 9 ${CUT}`.replace('ID', more));
      await subject.edit(db, `update state_history_cuts set signature = null ${CUT}`.replace('ID', point));
      expect(await look()).toEqual(keys === null ? [] : [point, more]);
    });
  });

  describe('a signing secret', () => {
    it('is needed from the first start with one on, and another one is refused by its key', async () => {
      const db = await subject.newDatabase();
      const keys = signingKeys(SECRET);
      const first = await start(db, keys);
      const stateId = await makeState(first, 'root');
      await first.close();
      await expect(start(db, null)).rejects.toThrow(
        `signed with the key ${keys.id}; set COUNTERSIGN_SIGNING_SECRET`,
      );
      const verified = verify(
        { db, stateId: null, expectedHead: null, file: null },
        { COUNTERSIGN_SIGNING_SECRET: OTHER },
      );
      expect((await verified).ok).toBe(false);
      await expect(start(db, signingKeys(OTHER))).rejects.toThrow(
        `signed with the key ${keys.id}, and COUNTERSIGN_SIGNING_SECRET is the secret of the key`,
      );
      const again = await start(db, keys);
      expect(must(await again.operator.states.get(stateId)).version).toBe(10);
      await again.close();
    });

    it('signs states from before as they stand, and a past that is unsigned stays readable', async () => {
      const db = await subject.newDatabase();
      const unsigned = await start(db, null);
      const stateId = await makeState(unsigned, 'root');
      const edited = await makeState(unsigned, 'edited');
      await unsigned.close();
      await subject.edit(db, `update state_events set patch = '[]' ${of(edited, 10)}`);
      const signing = await start(db, signingKeys(SECRET));
      expect(await caught(signing.operator.states.get(edited))).toBe('state_tampered');
      const env = { COUNTERSIGN_SIGNING_SECRET: SECRET };
      const found = must(await verify({ db, stateId, expectedHead: null, file: null }, env));
      expect(found).toMatchObject({ holds: true, events: 10, unsigned_events: 8, signatures: 'checked' });
      const { events } = must(await signing.operator.states.events(stateId, {}));
      expect(events.map((event) => event.signature !== null)).toEqual([
        ...Array.from({ length: 8 }, () => false),
        ...[true, true],
      ]);
      must(await signing.operator.states.patch(stateId, [{ op: 'add', path: '/x', value: 1 }], {}));
      await signing.close();
      await subject.edit(db, await forgedEvent(subject, db, stateId, 11));
      const later = await start(db, signingKeys(SECRET));
      await expectRefused(later, stateId);
      await later.close();
    });

    it('keeps a forged event out of the stream of everything, whatever the head of its state claims', async () => {
      const db = await subject.newDatabase();
      const first = await start(db, signingKeys(SECRET));
      const [forged, sound] = [await makeState(first, 'forged'), await makeState(first, 'sound')];
      await first.close();
      await subject.edit(db, await forgedEvent(subject, db, forged, 10));
      await subject.edit(db, `update state_events set signature = null ${of(forged, 10)}`);
      const { table, key } = subject.heads;
      await subject.edit(db, `update ${table} set unsigned_through = 10 where ${key} = ${keyOf(forged)}`);
      const later = await start(db, signingKeys(SECRET));
      const signal = AbortSignal.timeout(5_000);
      const given: string[] = [];
      for await (const events of must(await later.operator.streams.all({}, { after: '0-0', signal }))) {
        for (const { event, data } of events) {
          if (event === 'workflow_state_updated') given.push(`${data.state_id}@${String(data.version)}`);
        }
        if (given.includes(`${sound}@10`)) break;
      }
      expect(given).toContain(`${forged}@9`);
      expect(given).not.toContain(`${forged}@10`);
      await later.close();
    });

    it('is changed with one start that has both, and the old one is not needed after that', async () => {
      const db = await subject.newDatabase();
      const old = await start(db, signingKeys(SECRET));
      const stateId = await makeState(old, 'root');
      const forged = await makeState(old, 'forged');
      await old.close();
      const both = await start(db, signingKeys(OTHER, SECRET));
      const patch = [{ op: 'replace', path: '/n', value: 0 }];
      must(await both.operator.states.patch(stateId, patch, {}));
      await both.close();
      await expect(start(db, signingKeys(SECRET))).rejects.toThrow('signed with the key');
      // Who has the old secret can make events with signatures of its key, but no head.
      await subject.edit(db, await forgedEvent(subject, db, forged, 10));
      const after = await start(db, signingKeys(OTHER));
      expect(must(await after.operator.states.get(stateId)).version).toBe(11);
      expect(must(await after.operator.states.events(stateId, {})).events).toHaveLength(11);
      await expectRefused(after, forged);
      const env = { COUNTERSIGN_SIGNING_SECRET: OTHER };
      const found = must(await verify({ db, stateId: null, expectedHead: null, file: null }, env));
      expect(found.tampered.map((one) => one.state_id)).toEqual([forged]);
      expect(must(await after.operator.operations.doctor()).findings.map((one) => one.subject)).not.toContain(
        stateId,
      );
      await after.close();
    });

    it.each([
      ['removed', "delete from settings where name = 'history_signing'", 'the record of its signing key is missing'],
      ['changed', "update settings set value = replace(value, '[]', '[\"x\"]') where name = 'history_signing'", 'the record of its signing key fails verification'],
      ['no JSON', "update settings set value = '{' where name = 'history_signing'", 'the record of its signing key cannot be read'],
    ])('is asked for where the record of the key was %s', async (how, sql, sentence) => {
      const db = await subject.newDatabase();
      const first = await start(db, signingKeys(SECRET));
      await makeState(first, 'root');
      await first.close();
      await subject.edit(db, sql);
      await expect(start(db, signingKeys(SECRET))).rejects.toThrow(sentence);
      const options = { db, stateId: null, expectedHead: null, file: null };
      const failure = { error: 'state_tampered', detail: expect.stringContaining(sentence) };
      expect(await verify(options, { COUNTERSIGN_SIGNING_SECRET: SECRET })).toMatchObject({ failure });
      // Only the secret tells whether it was changed.
      expect(await verify(options, {})).toMatchObject(how === 'changed' ? { ok: true } : { failure });
      await expect(start(db, null)).rejects.toThrow('cannot be used: ');
    }); // prettier-ignore
  });
}
