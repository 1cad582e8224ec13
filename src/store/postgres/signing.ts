// The tables of a PostgreSQL database, as the signing at its opening uses them.
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
import type { Connection, Connections } from './connection/connections.js';
import { connect } from './connection/db.js';
import { historySource } from './doctor/history-source.js';
import { structureFindings } from './doctor/structure-findings.js';
import type { PostgresLimits } from './limits.js';
import { openingTransaction } from './opening.js';
import { Roots } from './roots.js';
import { PostgresReader } from './reads/reader.js';
import { OUT_OF_REACH } from '../row-numbers.js';

/** Runs in a transaction of its own, between the commits of all coordinators. */
export function signOnOpening(
  connection: Connection,
  keys: SigningKeys | null,
  logger: Pick<Logger, 'warn'>,
  limits: PostgresLimits,
): Promise<PreparedSigning> {
  return openingTransaction(connection, limits, async () => {
    // Commits in progress end first, and later ones wait.
    await connection.query('lock table tree_commits in exclusive mode');
    return prepareSigning(tablesOf(connection), keys, logger);
  });
}

/**
 * What the verification reads. Each read is a transaction of its own.
 *
 * @param name - The database, for findings.
 */
export function verifiableOf(
  connections: Connections,
  { answerMs }: PostgresLimits,
  name: string,
): VerifiableDatabase {
  const states = (rest: string, ...values: (string | number)[]) =>
    connections.use(async (connection) => {
      const { rows } = await connection.query<{ seq: string; state_id: string }>(
        `select seq, state_id from workflow_states where ${rest}`,
        values,
      );
      return rows.map((row) => ({ seq: Number(row.seq), stateId: row.state_id }));
    });
  return {
    signing: () => connections.use((connection) => foundSigning(tablesOf(connection))),
    histories: (evidence) => ({
      ...historySource((read) => connections.use((connection) => read(connect(connection))), evidence),
      stateAfter: async (seq) => (await states('seq > $1 order by seq limit 1', seq))[0],
      stateOf: async (stateId) => (await states('state_id = $1', stateId))[0],
      statesOutOfReach: () => states(OUT_OF_REACH),
      removedStates: () =>
        connections.use(async (connection) => {
          const { rows } = await connection.query<{ id: string }>(REMOVED_STATES);
          return rows.map(({ id }) => id);
        }),
    }),
    soundness: async (findingsMax) =>
      (await connections.use((connection) => structureFindings(connection, name))).slice(0, findingsMax),
    examination: (evidence) =>
      new PostgresReader(connections, new Roots(), quiet, { ...evidence, report: quiet }, answerMs),
    close: () => connections.close(),
  };
}

/** What the examination finds is its result. */
const quiet = () => undefined;

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
