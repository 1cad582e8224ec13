// The tables of a SQLite database, as the signing at its opening uses them.
import { NO_KEYS } from '../../domain/evidence/check.js';
import type { SigningKeys } from '../../domain/evidence/keys.js';
import type { Logger } from '../../ports/runtime.js';
import { prepareSigning, type PreparedSigning, type SigningTables } from '../evidence/signing.js';
import type { Client } from './connection.js';
import { connect } from './db.js';
import { historySource } from './doctor/history-source.js';

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

function tablesOf(client: Client): SigningTables {
  const signHead = client.prepare(
    `insert into state_head_signatures (state_key, root_session_id, unsigned_through, signature) values (?, ?, ?, ?)
      on conflict (state_key) do update
      set unsigned_through = excluded.unsigned_through, signature = excluded.signature`,
  );
  return {
    history: historySource(connect(client), NO_KEYS),
    rows: (sql, ...params) => client.prepare<unknown[], Record<string, unknown>>(sql).all(...params),
    run: (sql, ...params) => client.prepare(sql).run(...params),
    signHead: (stateSeq, { rootSessionId, unsignedThrough, signature }) =>
      signHead.run(stateSeq, rootSessionId, unsignedThrough, signature),
    signedHeads: 'select 1 from state_head_signatures limit 1',
  };
}
