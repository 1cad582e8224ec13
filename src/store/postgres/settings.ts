// Named values outside the records.
import type { Connection } from './connection/connections.js';

/** The number of the newest domain event that was removed as old. */
export const REMOVED_SETTING = 'notices_removed_through';

async function readSetting(connection: Connection, name: string): Promise<string | undefined> {
  const { rows } = await connection.query<{ value: string }>('select value from settings where name = $1', [
    name,
  ]);
  return rows[0]?.value;
}

/** A value that is created once per database. An empty one counts as absent: it was emptied by hand. */
export async function keptSetting(connection: Connection, name: string, make: () => string): Promise<string> {
  const stored = await readSetting(connection, name);
  if (stored !== undefined && stored !== '') return stored;
  // The first coordinator to write it wins.
  await connection.query(
    `insert into settings as s (name, value) values ($1, $2)
      on conflict (name) do update set value = excluded.value where s.value = ''`,
    [name, make()],
  );
  const made = await readSetting(connection, name);
  if (made === undefined) throw new Error(`The setting ${name} was not kept`);
  return made;
}
