// Statements that keep records together which no common lock keeps together: a schema and the states that use it, a webhook
// and its deliveries. And what is removed with a record.
import type { Put, Remove } from '../../../domain/transactions/changeset.js';
import { commitsOf } from './commits/commit-log.js';
import type { StoredRow } from './row-batch.js';

/** A statement with its values. */
interface Guard {
  readonly name: string;
  readonly text: string;
  readonly values: unknown[];
}

/** Fails if webhooks have changed since the transaction began: it may have missed one, or send to one that is removed. */
const WEBHOOKS_UNCHANGED = {
  name: 'webhooks_unchanged',
  text: `select 1 / (case when ${commitsOf("'!webhooks'")} = $1::bigint then 1 else 0 end)`,
};

const WEBHOOKS_STAY = {
  name: 'webhooks_stay',
  text: 'select 1 from webhooks where webhook_id = any ($1::text[]) order by webhook_id for key share',
};

/**
 * To be sent before the rows of a transaction.
 *
 * @param rowsOf - The rows of a kind that will be inserted or updated.
 * @param watched - The number of commits of the webhooks at the begin of the transaction; `null` if it holds their lock.
 */
export function guardsOf(
  rowsOf: (kind: Put['put']) => readonly StoredRow[],
  watched: number | null,
): readonly Guard[] {
  const ids = rowsOf('delivery').flatMap((row) =>
    typeof row['webhook_id'] === 'string' ? [row['webhook_id']] : [],
  );
  if (ids.length === 0) return [];
  const stay = { ...WEBHOOKS_STAY, values: [[...new Set(ids)]] };
  return watched === null ? [stay] : [stay, { ...WEBHOOKS_UNCHANGED, values: [watched] }];
}

const STATE_KEY = '(select seq from workflow_states where state_id = $1)';

/** The statements that remove a record with the id `$1`. */
export const REMOVES: Readonly<Record<Remove['remove'], readonly string[]>> = {
  state: [
    `delete from state_events where state_key = ${STATE_KEY}`,
    `delete from state_history_cuts where state_key = ${STATE_KEY}`,
    `delete from state_snapshots where state_key = ${STATE_KEY}`,
    'delete from workflow_archives where state_id = $1',
    'delete from workflow_states where state_id = $1',
    // Sessions read it until here: see save-read-cursors.ts.
    'delete from read_marks where state_id = $1',
  ],
  schema: [
    'select 1 from workflow_schemas where schema_id = $1 for update',
    // A decision that uses the schema has it locked. What it has committed is seen only now.
    `select 1 / (case when exists (select 1 from workflow_states where schema_id = $1) then 0 else 1 end)`,
    'delete from workflow_schemas where schema_id = $1',
  ],
  runner: ['delete from runners where runner_id = $1'],
  webhook: [
    'select 1 from webhooks where webhook_id = $1 for update',
    'delete from webhook_deliveries where webhook_id = $1',
    'delete from webhooks where webhook_id = $1',
  ],
  delivery: ['delete from webhook_deliveries where delivery_id = $1'],
};
