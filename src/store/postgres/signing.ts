// The tables of a PostgreSQL database, as the signing at its opening uses them.
import { NO_KEYS } from '../../domain/evidence/check.js';
import type { SigningKeys } from '../../domain/evidence/keys.js';
import type { Logger } from '../../ports/runtime.js';
import { prepareSigning, type PreparedSigning, type SigningTables } from '../evidence/signing.js';
import type { Connection } from './connections.js';
import { connect } from './db.js';
import { historySource } from './doctor/history-source.js';

/** Runs in a transaction of its own, between the commits of all coordinators. */
export async function signOnOpening(
  connection: Connection,
  keys: SigningKeys | null,
  logger: Pick<Logger, 'warn'>,
): Promise<PreparedSigning> {
  await connection.query('begin');
  try {
    await connection.query('select 1 from commit_positions where id = 1 for update');
    const prepared = await prepareSigning(tablesOf(connection), keys, logger);
    await connection.query('commit');
    return prepared;
  } catch (error) {
    await connection.query('rollback').catch(() => undefined);
    throw error;
  }
}

function tablesOf(connection: Connection): SigningTables {
  const db = connect(connection);
  const query = (sql: string, params: unknown[]) => {
    let number = 0;
    const text = sql.replace(/\?/g, () => `$${String((number += 1))}`);
    return connection.query<Record<string, unknown>>(text, params);
  };
  return {
    history: historySource((read) => read(db), NO_KEYS),
    rows: async (sql, ...params) => (await query(sql, params)).rows,
    run: (sql, ...params) => query(sql, params),
    signHead: (stateSeq, { unsignedThrough, signature }) =>
      query('update workflow_states set unsigned_through = ?, signature = ? where seq = ?', [
        unsignedThrough,
        signature,
        stateSeq,
      ]),
    signedHeads: 'select 1 from workflow_states where signature is not null limit 1',
  };
}
