// States of a running service whose rows are then edited, on any database: what the tests of evidence share.
import { expect } from 'vitest';
import { damagedFailure, RecordDamagedError } from '../../../src/domain/damage/damage.js';
import { eventHash, snapshotHash } from '../../../src/domain/evidence/hashes.js';
import type { SigningKeys } from '../../../src/domain/evidence/keys.js';
import type { Limits } from '../../../src/domain/limits.js';
import type { StateEvent } from '../../../src/domain/records/records.js';
import type { MaybePromise } from '../../../src/lib/maybe-promise.js';
import type { EventStream } from '../../../src/ports/service.js';
import type { Result } from '../../../src/domain/errors.js';
import { must } from '../../service/harness.js';
import { startTestCoordinator, type TestCoordinator } from '../../support/coordinator.js';

/** A database, and how it differs from others. */
export interface Subject {
  /** A new empty one, as `--db` takes it. */
  newDatabase(): Promise<string>;
  /** Edits it behind the back of the service. */
  edit(db: string, sql: string): Promise<void>;
  rows(db: string, sql: string): Promise<readonly Record<string, unknown>[]>;
  /** The column of the signed head: `update <table> set signature … where <key>`. */
  readonly heads: { readonly table: string; readonly key: string };
  /** Edits that make a version the newest, as its event says. Empty if the head follows from the events. */
  headAt(version: number, key: string): string;
}

export const SECRET = 'a secret of at least 32 characters, for tests';
export const OTHER = 'another secret of at least 32 characters';

/** Snapshots at versions 1, 5 and 9 of each state; its newest version is 10. */
const LIMITS = { eventsPerSnapshotMax: 4, historyVersionsMax: 0 };

export function start(
  db: string,
  keys: SigningKeys | null,
  more: Partial<Limits> = {},
): Promise<TestCoordinator> {
  return startTestCoordinator(db, { ...LIMITS, ...more }, keys);
}

/** Makes a state with ten versions. */
export async function makeState({ operator }: TestCoordinator, name: string): Promise<string> {
  must(await operator.schemas.register({ name: 'any', json_schema: { type: 'object' } }));
  const session_name = name.replaceAll(/[^A-Za-z0-9]+/g, '-');
  must(await operator.sessions.create({ session_name, external: true }));
  const { state_id } = must(
    await operator.states.create({
      schema_name: 'any',
      root_session_name: session_name,
      initial_data: { verdict: { by: { name: 'ann', ok: true } }, n: 1, pad: 'x'.repeat(800) },
    }),
  );
  for (let n = 2; n <= 10; n += 1) {
    must(await operator.states.patch(state_id, [{ op: 'replace', path: '/n', value: n }], {}));
  }
  return state_id;
}

/** The number of a state's rows, in SQL. */
export const keyOf = (stateId: string) => `(select seq from workflow_states where state_id = '${stateId}')`;

/** An edit of a patch with the hash that fits: what somebody does who knows the format, but no secret. */
export async function forgedEvent(subject: Subject, db: string, stateId: string, version: number) {
  const [row] = await subject.rows(
    db,
    `select * from state_events where state_key = ${keyOf(stateId)} and version = ${String(version)}`,
  );
  const event: StateEvent = {
    eventId: String(row?.['event_id']),
    stateId,
    rootSessionId: String(row?.['root_session_id']),
    version,
    kind: 'json_patch',
    patchText: '[{"op":"replace","path":"/n","value":666}]',
    sessionId: null,
    runId: null,
    tokenName: null,
    toolCallId: null,
    late: false,
    createdAt: Number(row?.['created_at']),
    fromSchemaId: null,
    toSchemaId: null,
    previousHash: String(row?.['previous_hash']),
    hash: '',
    signature: null,
  };
  return `update state_events set patch = '${event.patchText}', hash = '${eventHash(event)}'
    where state_key = ${keyOf(stateId)} and version = ${String(version)};
    ${subject.headAt(version, keyOf(stateId))}`;
}

/** The same for the document of a snapshot. */
export async function forgedSnapshot(subject: Subject, db: string, stateId: string, version: number) {
  const [row] = await subject.rows(
    db,
    `select text, event_hash from state_snapshots where state_key = ${keyOf(stateId)} and version = ${String(version)}`,
  );
  const text = String(row?.['text']).replace('"ok":true', '"ok":false');
  const hash = snapshotHash({ stateId, version, text, eventHash: String(row?.['event_hash']) });
  return `update state_snapshots set text = '${text}', hash = '${hash}'
    where state_key = ${keyOf(stateId)} and version = ${String(version)}`;
}

/** What a caller gets; an error that is thrown is what the transports turn into this failure. */
export async function caught(work: MaybePromise<Result<unknown>>): Promise<string> {
  try {
    const result = await work;
    return result.ok ? 'ok' : result.failure.error;
  } catch (error) {
    if (!(error instanceof RecordDamagedError)) throw error;
    return damagedFailure(error.damage).failure.error;
  }
}

/** Why a stream ended. */
export async function endOf(stream: Promise<Result<EventStream>>): Promise<unknown> {
  const opened = await caught(stream);
  if (opened !== 'ok') return opened;
  for await (const events of must(await stream)) {
    for (const { event, data } of events)
      if (event === 'dropped') return 'error' in data ? data.error : data.reason;
  }
  return 'open';
}

/** Every way to a state is refused. */
export async function expectRefused({ operator }: TestCoordinator, stateId: string): Promise<void> {
  const { states, streams } = operator;
  const patch = [{ op: 'add', path: '/x', value: 1 }];
  expect({
    read: await caught(states.get(stateId)),
    write: await caught(states.patch(stateId, patch, {})),
    wait: await caught(states.wait(stateId, { until: { required: ['never'] }, timeout_ms: 50 })),
    stream: await endOf(streams.state(stateId, { after: '8', signal: AbortSignal.timeout(5_000) })),
  }).toEqual({
    read: 'state_tampered',
    write: 'state_tampered',
    wait: 'state_tampered',
    stream: 'state_tampered',
  });
}
