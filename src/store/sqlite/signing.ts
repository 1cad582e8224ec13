// The tables of a SQLite database, as the signing at its opening uses them.
import { NO_KEYS } from '../../domain/evidence/check.js';
import type { SigningKeys } from '../../domain/evidence/keys.js';
import type { Logger } from '../../ports/runtime.js';
import {
  foundSigning,
  prepareSigning,
  type PreparedSigning,
  type SigningTables,
} from '../evidence/signing.js';
import { REMOVED_STATES, type VerifiableDatabase } from '../evidence/verify.js';
import type { Client } from './connection.js';
import { connect } from './db.js';
import { historySource } from './doctor/history-source.js';
import { SqliteReader } from './reads/reader.js';
import { OUT_OF_REACH } from '../row-numbers.js';

/** Runs in a transaction of its own. */
export async function signOnOpening(
  client: Client,
  keys: SigningKeys | null,
  logger: Pick<Logger, 'warn'>,
): Promise<PreparedSigning> {
  client.exec('BEGIN IMMEDIATE');
  try {
    const prepared = await prepareSigning(tablesOf(client), keys, logger);
    client.exec('COMMIT');
    return prepared;
  } catch (error) {
    if (client.inTransaction) client.exec('ROLLBACK');
    throw error;
  }
}

/** What the verification reads. */
export function verifiableOf(client: Client): Omit<VerifiableDatabase, 'close' | 'soundness'> {
  const after = client.prepare<[number], { seq: number; stateId: string }>(
    'select seq, state_id as stateId from workflow_states where seq > ? order by seq limit 1',
  );
  const named = client.prepare<[string], { seq: number; stateId: string }>(
    'select seq, state_id as stateId from workflow_states where state_id = ?',
  );
  const outOfReach = client.prepare<[], { seq: number; stateId: string }>(
    `select seq, state_id as stateId from workflow_states where ${OUT_OF_REACH}`,
  );
  const removed = client.prepare<[], string>(REMOVED_STATES).pluck();
  return {
    signing: () => foundSigning({ rows: rowsOf(client), signedHeads: SIGNED_HEADS }),
    histories: (evidence) => ({
      ...historySource(connect(client), evidence),
      stateAfter: (seq) => after.get(seq),
      stateOf: (stateId) => named.get(stateId),
      statesOutOfReach: () => outOfReach.all(),
      removedStates: () => removed.all(),
    }),
    examination: (evidence) => new SqliteReader(connect(client), quiet, { ...evidence, report: quiet }),
  };
}

/** What the examination finds is its result. */
const quiet = () => undefined;

const SIGNED_HEADS = 'select 1 from state_head_signatures limit 1';

function rowsOf(client: Client): SigningTables['rows'] {
  return (sql, ...params) => client.prepare<unknown[], Record<string, unknown>>(sql).all(...params);
}

function tablesOf(client: Client): SigningTables {
  const signHead = client.prepare(
    `insert into state_head_signatures (state_key, root_session_id, unsigned_through, signature) values (?, ?, ?, ?)
      on conflict (state_key) do update
      set unsigned_through = excluded.unsigned_through, signature = excluded.signature`,
  );
  return {
    history: historySource(connect(client), NO_KEYS),
    rows: rowsOf(client),
    run: (sql, ...params) => client.prepare(sql).run(...params),
    signHead: (stateSeq, { rootSessionId, unsignedThrough, signature }) =>
      signHead.run(stateSeq, rootSessionId, unsignedThrough, signature),
    signedHeads: SIGNED_HEADS,
  };
}
