import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import { describe, expect, it } from 'vitest';
import { deciding } from '../../../src/domain/decisions/decide.js';
import { STALE } from '../../../src/domain/transactions/decision-context.js';
import type { JsonValue } from '../../../src/domain/json/json.js';
import type { StateEvent } from '../../../src/domain/records/records.js';
import { eventHash } from '../../../src/domain/evidence/hashes.js';
import { removeSchema } from '../../../src/domain/schemas/register.js';
import { createState } from '../../../src/domain/states/create.js';
import { commitWrites, OPERATOR } from '../../../src/domain/states/write.js';
import { aSchema } from '../../store/records.js';
import { contractAt, must, failureOf, sleepingRoot, World } from '../world.js';

function events(world: World): readonly StateEvent[] {
  return [...world.store.events.values()];
}

function head(world: World) {
  return [...world.store.states.values()][0]!;
}

describe('the history of a state', () => {
  it('is a chain: each event carries the hash of the one before', () => {
    const world = sleepingRoot();
    for (let n = 1; n <= 5; n += 1) world.write(null, 'n', n);
    expect(events(world).map((one) => one.version)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(events(world).map((one) => one.previousHash)).toEqual([
      '',
      ...events(world)
        .slice(0, -1)
        .map((one) => one.hash),
    ]);
    for (const { hash, ...event } of events(world)) expect(eventHash(event)).toBe(hash);
    expect(head(world)).toMatchObject({ version: 6, lastHash: events(world).at(-1)?.hash });
  });

  it('is hashed over the canonical JSON of each event', () => {
    const event = {
      eventId: 'evt_"1"',
      stateId: 'wst_1',
      rootSessionId: 'ses_root',
      version: 7,
      kind: 'json_patch',
      patchText: '[{"op":"add","path":"/ü","value":1.5}]',
      sessionId: 'ses_\u0001é😀',
      runId: null,
      tokenName: 'ci\n',
      toolCallId: null,
      late: true,
      createdAt: 1_750_000_000_000,
      fromSchemaId: null,
      toSchemaId: null,
      previousHash: 'abc',
    } as const;
    const members = {
      event_id: event.eventId,
      state_id: event.stateId,
      version: event.version,
      kind: event.kind,
      patch: JSON.parse(event.patchText) as JsonValue,
      session_id: event.sessionId,
      run_id: event.runId,
      token_name: event.tokenName,
      late: event.late,
      created_at: event.createdAt,
      previous_hash: event.previousHash,
    };
    const canonical = (canonicalize as unknown as (value: unknown) => string)(members);
    expect(eventHash(event)).toBe(createHash('sha256').update(canonical).digest('hex'));
    const migration = { ...members, from_schema_id: 'sch_1', to_schema_id: 'sch_2' };
    const migrated = (canonicalize as unknown as (value: unknown) => string)(migration);
    expect(eventHash({ ...event, fromSchemaId: 'sch_1', toSchemaId: 'sch_2' })).toBe(
      createHash('sha256').update(migrated).digest('hex'),
    );
    const call = { ...members, tool_call_id: 'toolu_"1"' };
    const called = (canonicalize as unknown as (value: unknown) => string)(call);
    expect(eventHash({ ...event, toolCallId: 'toolu_"1"' })).toBe(
      createHash('sha256').update(called).digest('hex'),
    );
  });

  it.each([
    ['version', { version: 8 }],
    ['patch', { patchText: '[{"op":"remove","path":"/n"}]' }],
    ['writer', { sessionId: 'ses_other' }],
    ['time', { createdAt: 1 }],
    ['lateness', { late: true }],
    ['kind', { kind: 'replace' }],
    ['run', { runId: 'run_2' }],
    ['token', { tokenName: 't' }],
    ['call of a tool', { toolCallId: 'c' }],
    ['schema before a migration', { fromSchemaId: 'a' }],
    ['schema after a migration', { toSchemaId: 'b' }],
    ['event before', { previousHash: 'y' }],
  ] as const)('shows a change of the %s', (_what, over) => {
    const world = sleepingRoot();
    const { hash, ...event } = events(world)[0]!;
    expect(eventHash({ ...event, ...over })).not.toBe(hash);
  });

  it('keeps a whole document every few versions', () => {
    const world = new World({ eventsPerSnapshotMax: 4 });
    world.create('root');
    world.giveState({ pad: 'x'.repeat(2_000) });
    for (let n = 1; n <= 9; n += 1) world.write(null, 'n', n);
    expect([...world.store.snapshots.values()].map((one) => one.version)).toEqual([1, 5, 9]);
    expect(head(world)).toMatchObject({ version: 10, snapshotVersion: 9 });
  });

  it('keeps a whole document as soon as the patches since the last weigh more than it', () => {
    const world = sleepingRoot();
    world.write(null, 'n', 1);
    expect(head(world)).toMatchObject({ snapshotVersion: 2, patchBytesSinceSnapshot: 0 });
    const large = new World();
    large.create('root');
    large.giveState({ pad: 'x'.repeat(150) });
    for (let n = 1; n <= 5; n += 1) large.write(null, 'n', n);
    const [, second] = large.store.snapshots.values();
    expect(second!.version).toBeGreaterThan(3);
    expect(second!.text).toBe(JSON.stringify({ pad: 'x'.repeat(150), n: second!.version - 1 }));
  });

  it('commits writes that follow each other as one changeset', () => {
    const world = sleepingRoot();
    const before = world.store.written.length;
    const writes = [1, 2, 3].map((n) => world.prepared(null, 'n', n));
    const written = must(
      world.decide((unit) =>
        commitWrites(
          unit,
          head(world).stateId,
          head(world),
          writes.map((write) => ({ write })),
        ),
      ),
    );
    expect(written.events.map((one) => one.version)).toEqual([2, 3, 4]);
    expect(world.store.written.length - before).toBe(1);
    expect(head(world)).toMatchObject({ version: 4, revision: 2 });
  });

  it('writes nothing on top of a state that is not there, or has moved on', () => {
    const world = sleepingRoot();
    const write = world.prepared(null, 'n', 1);
    const base = head(world);
    expect(
      failureOf(world.decide((unit) => commitWrites(unit, 'wst_none', head(world), [{ write }]))).error,
    ).toBe('state_not_found');
    world.write(null, 'n', 5);
    const before = world.store.written.length;
    const decide = deciding(world.context(false), (unit) =>
      commitWrites(unit, base.stateId, base, [{ write }]),
    );
    expect(world.store.transact([], decide)).toBe(STALE);
    expect(world.store.written).toHaveLength(before);
  });

  it('writes nothing that was prepared on another document of the same version', () => {
    const world = sleepingRoot();
    const write = world.prepared(null, 'n', 1);
    const lost = { ...head(world), lastHash: 'of a commit that a failover has lost' };
    const before = world.store.written.length;
    const decide = deciding(world.context(false), (unit) =>
      commitWrites(unit, lost.stateId, lost, [{ write }]),
    );
    expect(world.store.transact([], decide)).toBe(STALE);
    expect(world.store.written).toHaveLength(before);
  });

  it.each(['its generation', 'its contract'])(
    'writes nothing that was prepared before the writer got another: %s',
    (what) => {
      const world = sleepingRoot();
      world.child('a', 'root', { mode: 'never' });
      world.work('a');
      const write = world.prepared('a', 'n', 1);
      if (what === 'its generation') {
        world.play('a');
        world.work('a');
      } else {
        world.work('a', { settings: { ...world.completion('a').settings, contract: contractAt('/a') } });
      }
      const decide = deciding(world.context(false), (unit) =>
        commitWrites(unit, head(world).stateId, head(world), [{ write }]),
      );
      expect(world.store.transact([], decide)).toBe(STALE);
    },
  );

  it('says of a write that it came late, and takes it all the same', () => {
    const world = sleepingRoot();
    world.child('a', 'root', { attemptsMax: 1 });
    world.work('a');
    world.write('a', 'a', 1);
    world.play('a');
    world.play('a');
    expect(world.completion('a').status).toBe('failed');
    world.write('a', 'a', 2);
    world.write(null, 'a', 3);
    expect(events(world).map((one) => one.late)).toEqual([false, false, true, false]);
    expect(world.completion('a')).toMatchObject({ status: 'failed', lastWriteVersion: 3 });
  });

  it('tells the writer of a refused write in its next prompt', () => {
    const world = sleepingRoot();
    world.child('a', 'root');
    world.work('a');
    world.play('a');
    const held = world.take('a');
    world.refuseWrite('a', [
      { pointer: '/n', keyword: 'type', message: 'must be integer', expected: 'integer' },
    ]);
    must(world.complete(held));
    expect(world.openRunsOf('a')[0]?.prompt).toContain('- /n: must be integer');
    expect(head(world).version).toBe(1);
  });
});

describe('a new state', () => {
  const create = (world: World, name: string) =>
    world.decide((unit) =>
      createState(unit, unit.aggregate(world.session(name).sessionId).session, {
        stateId: 'wst_new',
        schema: aSchema(),
        text: '{}',
        patchText: '[]',
        writer: OPERATOR,
      }),
    );

  it('is made by a root, once', () => {
    const world = new World();
    world.create('root');
    world.child('a', 'root');
    expect(failureOf(create(world, 'a'))).toMatchObject({
      error: 'forbidden',
      members: { root_session_id: 'ses_root' },
    });
    expect(must(create(world, 'root'))).toMatchObject({ version: 1, snapshotVersion: 1 });
    expect(failureOf(create(world, 'root'))).toMatchObject({
      error: 'state_exists',
      members: { state_id: 'wst_new' },
    });
  });

  it('is refused where its schema version was deleted meanwhile', () => {
    const world = new World();
    world.create('root');
    const { name, version } = aSchema();
    must(world.decide((unit) => removeSchema(unit, name, version)));
    expect(failureOf(create(world, 'root'))).toMatchObject({
      error: 'schema_not_found',
      members: { schema_name: name, schema_version: version },
    });
    expect(world.store.states.size + world.store.events.size + world.store.snapshots.size).toBe(0);
  });
});

describe('the end of a state', () => {
  it('skips what is open, and tells the parents once', () => {
    const world = sleepingRoot();
    for (const name of ['asked', 'busy', 'waiting']) {
      world.child(name, 'root');
      world.work(name);
    }
    world.child('grand', 'waiting');
    world.play('asked');
    const busy = world.take('busy');
    world.play('waiting');
    must(world.dropState());
    expect(['asked', 'busy', 'waiting', 'grand'].map((name) => world.completion(name).status)).toEqual(
      Array(4).fill('skipped'),
    );
    expect(['asked', 'busy', 'waiting'].map((name) => world.callbackOf(name).status)).toEqual([
      'queued',
      'held',
      'held',
    ]);
    expect(world.store.events.size + world.store.snapshots.size + world.store.states.size).toBe(0);
    must(world.complete(busy));
    expect(world.callbackOf('busy').status).toBe('queued');
    expect(failureOf(world.dropState()).error).toBe('state_not_found');
  });
});
