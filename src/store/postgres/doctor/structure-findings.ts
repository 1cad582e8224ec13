// What an examination says of the objects of a PostgreSQL database.
import type { Finding } from '../../../ports/storage/audit.js';
import { foreignTrigger, missingObject } from '../../doctor/object-findings.js';
import type { Connection } from '../connection/connections.js';
import { knownMigrations } from '../migrations.js';
import { structureOf } from '../structure.js';

/** @param database - Its name, for the findings. */
export async function structureFindings(
  connection: Connection,
  database: string,
): Promise<readonly Finding[]> {
  const { missing, foreignTriggers } = await structureOf(connection, knownMigrations());
  return [
    ...missing.map(({ kind, name }) => missingObject(database, kind, name)),
    ...foreignTriggers.map((name) => foreignTrigger(database, name)),
  ];
}
