// What an examination says of the objects of a database: tables, indexes, triggers and the like.
import type { Finding } from '../../ports/storage/audit.js';

/** @param database - Its path or name. */
export function missingObject(database: string, kind: string, name: string): Finding {
  return { check: 'file_sound', subject: database, detail: `The ${kind} ${name} is missing.` };
}

export function foreignTrigger(database: string, name: string): Finding {
  const detail = `The trigger ${name} is not of Countersign, and may change what is written.`;
  return { check: 'file_sound', subject: database, detail };
}
