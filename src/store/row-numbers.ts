// The numbers of rows, `seq`: which tables have them, and which numbers the service can count with.

/** The tables whose rows are numbered. */
export const NUMBERED_TABLES = [
  'callbacks',
  'completions',
  'notices',
  'read_marks',
  'receipts',
  'runners',
  'runs',
  'sessions',
  'state_events',
  'state_snapshots',
  'tokens',
  'trees',
  'webhook_deliveries',
  'webhook_destinations',
  'webhooks',
  'workflow_archives',
  'workflow_schemas',
  'workflow_states',
] as const;

/** Above it only an edited row is: the numbers that may still follow are exact in JavaScript, up to 2^53. */
export const ROW_NUMBER_MAX = 2 ** 52;

/** SQL: true for a row that has no such number. No list reaches it. */
export const OUT_OF_REACH = `(seq < 1 or seq > ${String(ROW_NUMBER_MAX)})`;

/** True for a number that the service gives. One that is above it may stand for several in JavaScript. */
export function isRowNumber(seq: number): boolean {
  return seq >= 1 && seq <= ROW_NUMBER_MAX;
}
