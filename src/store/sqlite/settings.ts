// Named values outside the records.
import type { Client } from './connection.js';

export function readSetting(client: Client, name: string): string | undefined {
  return client.prepare<[string], string>('select value from settings where name = ?').pluck().get(name);
}

export function writeSetting(client: Client, name: string, value: string): void {
  client
    .prepare(
      'insert into settings (name, value) values (?, ?) on conflict (name) do update set value = excluded.value',
    )
    .run(name, value);
}

/**
 * A value that is created once per database. An empty one counts as absent: it was emptied by hand.
 *
 * @param requireOwnership - Throws if this process must not write.
 */
export function keptSetting(
  client: Client,
  name: string,
  make: () => string,
  requireOwnership: () => void,
): string {
  const stored = readSetting(client, name);
  if (stored !== undefined && stored !== '') return stored;
  requireOwnership();
  // The first process to write it wins.
  client
    .prepare(
      `insert into settings (name, value) values (?, ?)
        on conflict (name) do update set value = excluded.value where value = ''`,
    )
    .run(name, make());
  const made = readSetting(client, name);
  if (made === undefined) throw new Error(`The setting ${name} was not kept`);
  return made;
}
