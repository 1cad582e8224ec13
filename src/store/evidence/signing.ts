// Signs the histories of a database when it is opened: at the first start with a secret, and after the secret was
// changed. One transaction of the caller each, so that a kill leaves all of it or nothing.
import { RecordDamagedError } from '../../domain/damage/damage.js';
import { checkHead, NO_KEYS, type Evidence } from '../../domain/evidence/check.js';
import { compactionHash, eventHash, headHash, snapshotHash } from '../../domain/evidence/hashes.js';
import type { SigningKeys } from '../../domain/evidence/keys.js';
import { planSigning, signingText, type FoundSigning } from '../../domain/evidence/signing-record.js';
import { requireVerified } from '../../domain/evidence/tampered.js';
import type { StateEvent, StateHead } from '../../domain/records/state-records.js';
import type { MaybePromise } from '../../lib/maybe-promise.js';
import type { Logger } from '../../ports/runtime.js';
import type { HistorySource } from './check-history.js';
import type { HistoryRow, HistoryStart } from './history-rows.js';

/** The setting that holds the signing record. */
const SIGNING_SETTING = 'history_signing';

type Row = Readonly<Record<string, unknown>>;

/** A database, for the time of the transaction. */
export interface SigningTables {
  readonly history: HistorySource;
  /** Runs a statement with `?` for each parameter, and returns its rows. */
  rows(sql: string, ...params: unknown[]): MaybePromise<readonly Row[]>;
  /** Runs a statement that returns no rows. */
  run(sql: string, ...params: unknown[]): MaybePromise<unknown>;
  signHead(stateSeq: number, head: StateHead): MaybePromise<unknown>;
  /** A query that has a row if any head is signed. */
  readonly signedHeads: string;
}

/** The evidence to use the database with, or why it may not be used. */
export type PreparedSigning = { readonly evidence: Evidence } | { readonly refused: string };

const PAGE_STATES = 500;
const PAGE_EVENTS = 100;

/** Runs in a transaction of the caller. */
export async function prepareSigning(
  tables: SigningTables,
  keys: SigningKeys | null,
  logger: Pick<Logger, 'warn'>,
): Promise<PreparedSigning> {
  const plan = planSigning(keys, await foundSigning(tables));
  if (plan.do === 'refuse') return { refused: plan.refused };
  if (plan.do === 'nothing' || keys === null) {
    return { evidence: { keys, retired: plan.do === 'nothing' ? plan.retired : [] } };
  }
  const { record } = plan;
  const counted = await signAll(
    tables,
    plan.do === 'begin' ? new Beginning(tables, keys) : new Rotation(tables, keys),
  );
  await tables.run(
    'insert into settings (name, value) values (?, ?) on conflict (name) do update set value = excluded.value',
    SIGNING_SETTING,
    signingText(keys, record),
  );
  const fields = { key_id: keys.id, ...counted };
  if (plan.do === 'begin') {
    logger.warn(fields, 'histories are signed from now on; what they held before is taken as it is');
  } else {
    logger.warn(
      fields,
      'histories are signed with another key from now on; the next start no longer needs COUNTERSIGN_SIGNING_SECRET_PREVIOUS',
    );
  }
  return { evidence: { keys, retired: record.retired } };
}

/** The signing state of the database. */
export async function foundSigning(
  tables: Pick<SigningTables, 'rows' | 'signedHeads'>,
): Promise<FoundSigning> {
  const [setting] = await tables.rows(
    'select s.value as text from settings s where s.name = ?',
    SIGNING_SETTING,
  );
  if (setting !== undefined) return { text: String(setting['text']), isAnySigned: true };
  return { text: undefined, isAnySigned: await isAnySigned(tables) };
}

/** The newest event or any head: enough, since whatever signs signs both. */
async function isAnySigned(tables: Pick<SigningTables, 'rows' | 'signedHeads'>): Promise<boolean> {
  const [newest] = await tables.rows('select signature from state_events order by seq desc limit 1');
  return (newest?.['signature'] ?? null) !== null || (await tables.rows(tables.signedHeads)).length > 0;
}

interface Signing {
  /** @returns False if the state fails verification or cannot be read. It stays unchanged, and will be refused. */
  sign(stateSeq: number, start: HistoryStart): Promise<boolean>;
}

async function signAll(
  tables: SigningTables,
  signing: Signing,
): Promise<{ states: number; tampered: string[] }> {
  let states = 0;
  const tampered: string[] = [];
  for (let after = 0; ;) {
    const page = await tables.rows(
      `select seq, state_id from workflow_states where seq > ? order by seq limit ${String(PAGE_STATES)}`,
      after,
    );
    const before = after;
    for (const row of page) {
      after = Number(row['seq']);
      const start = await tables.history.historyOf(after);
      if (start === undefined) continue;
      states += 1;
      const isSigned = !('damage' in start) && (await signing.sign(after, start));
      if (!isSigned) tampered.push(String(row['state_id']));
    }
    // Numbers that were edited may be too large to be told apart.
    if (page.length < PAGE_STATES || after <= before) return { states, tampered };
  }
}

/** Signs a state as it stands: its head, its newest snapshot, and all since. What is older stays unsigned. */
class Beginning implements Signing {
  constructor(
    private readonly tables: SigningTables,
    private readonly keys: SigningKeys,
  ) {}

  async sign(stateSeq: number, { head, compaction }: HistoryStart): Promise<boolean> {
    const { stateId, snapshotVersion } = head;
    const rows = await this.#eventsFrom(stateSeq, snapshotVersion);
    if (rows === null) return false;
    const [first] = rows;
    if (first?.snapshot == null || first.event.version !== snapshotVersion) return false;
    const { event, snapshot } = first;
    const evidence = { ...NO_KEYS, report: () => undefined };
    if (
      !holds(() =>
        requireVerified(
          evidence,
          head,
          snapshot,
          rows.slice(1).map((row) => row.event),
        ),
      )
    )
      return false;
    if (eventHash(event) !== event.hash) return false;
    const hash = snapshotHash({ ...snapshot, eventHash: event.hash });
    if (snapshot.hash !== null && snapshot.hash !== hash) return false;
    const { tables, keys } = this;
    await tables.run(
      'update state_snapshots set event_hash = ?, hash = ?, signature = ? where state_key = ? and version = ?',
      ...[event.hash, hash, keys.sign(hash), stateSeq, snapshotVersion],
    );
    for (const row of rows) {
      await tables.run(
        'update state_events set signature = ? where state_key = ? and version = ?',
        ...[keys.sign(row.event.hash), stateSeq, row.event.version],
      );
    }
    if (compaction?.oldestVersion === snapshotVersion) {
      const point = compactionHash({
        stateId,
        oldestVersion: snapshotVersion,
        previousHash: event.previousHash,
      });
      await signCompaction(tables, stateSeq, keys.sign(point));
    }
    const unsigned = { ...head, unsignedThrough: snapshotVersion - 1 };
    await tables.signHead(stateSeq, { ...unsigned, signature: keys.sign(headHash(unsigned)) });
    return true;
  }

  /** The events from a version on; `null` if one of them, or its snapshot, cannot be read. */
  async #eventsFrom(stateSeq: number, from: number): Promise<readonly ReadableRow[] | null> {
    const rows: ReadableRow[] = [];
    for (let version = from - 1; ;) {
      const page = await this.tables.history.events(stateSeq, version, PAGE_EVENTS);
      if (!page.every(isReadable)) return null;
      rows.push(...page);
      const last = page.at(-1)?.event.version;
      if (last === undefined || page.length < PAGE_EVENTS) return rows;
      version = last;
    }
  }
}

type ReadableRow = HistoryRow & { readonly event: StateEvent };

function isReadable(row: HistoryRow): row is ReadableRow {
  return row.event !== null && row.damage.length === 0;
}

/** Signs again the head, the snapshots and the compaction point of a state. Events are chained to them. */
class Rotation implements Signing {
  constructor(
    private readonly tables: SigningTables,
    private readonly keys: SigningKeys,
  ) {}

  async sign(stateSeq: number, { head, compaction }: HistoryStart): Promise<boolean> {
    const { tables, keys } = this;
    if (checkHead({ keys, retired: [] }, head) !== null) return false;
    await tables.signHead(stateSeq, { ...head, signature: keys.sign(headHash(head)) });
    const snapshots = await tables.rows(
      'select version, hash, signature from state_snapshots where state_key = ? and signature is not null',
      stateSeq,
    );
    let isWhole = true;
    for (const row of snapshots) {
      const hash = String(row['hash']);
      if (keys.check(hash, String(row['signature'])) !== 'holds') isWhole = false;
      else {
        await tables.run(
          'update state_snapshots set signature = ? where state_key = ? and version = ?',
          ...[keys.sign(hash), stateSeq, Number(row['version'])],
        );
      }
    }
    return (await this.#compaction(stateSeq, head.stateId, compaction)) && isWhole;
  }

  async #compaction(stateSeq: number, stateId: string, point: HistoryStart['compaction']): Promise<boolean> {
    if (point?.signature == null) return true;
    const { tables, keys } = this;
    const { oldestVersion } = point;
    const [first] = await tables.rows(
      'select previous_hash from state_events where state_key = ? and version = ?',
      ...[stateSeq, oldestVersion],
    );
    const hash = compactionHash({ stateId, oldestVersion, previousHash: String(first?.['previous_hash']) });
    if (keys.check(hash, point.signature) !== 'holds') return false;
    await signCompaction(tables, stateSeq, keys.sign(hash));
    return true;
  }
}

async function signCompaction(tables: SigningTables, stateSeq: number, signature: string): Promise<void> {
  await tables.run('update state_history_cuts set signature = ? where state_key = ?', signature, stateSeq);
}

function holds(check: () => void): boolean {
  try {
    check();
    return true;
  } catch (error) {
    if (error instanceof RecordDamagedError) return false;
    throw error;
  }
}
