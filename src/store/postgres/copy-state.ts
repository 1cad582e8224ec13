// What a database says of a copy into it. No coordinator may work on one that is not finished.
import type { Connection } from './connection/connections.js';

/** A copy into the database. */
export interface CopyState {
  /** The id of the source. */
  readonly from: string;
  readonly isDone: boolean;
}

/** The setting with the state. */
export const COPY_SETTING = 'copied_from';

/** `null` if nothing was ever copied into the database. */
export async function copyStateOf(connection: Connection): Promise<CopyState | null> {
  const { rows } = await connection.query<{ from: string; is_done: boolean }>(
    `select value::json ->> 'from' as from, (value::json ->> 'isDone')::boolean as is_done
      from settings where name = $1`,
    [COPY_SETTING],
  );
  return rows[0] === undefined ? null : { from: rows[0].from, isDone: rows[0].is_done };
}
