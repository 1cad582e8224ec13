// Opens a database file for reading. Neither the file nor anything next to it is changed or created.
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import type { Finding } from '../../ports/storage/audit.js';
import type { Token } from '../../domain/records/records.js';
import { foreignTrigger, missingObject } from '../doctor/object-findings.js';
import { DatabaseFullError, holdsRecords, lacks } from '../errors.js';
import { checkExists, unusable, type Client } from './connection.js';
import { whyUnreadable } from './faults.js';
import { copyDatabase, type OnProgress } from './copy.js';
import { keepStatements } from './kept-statements.js';
import { isNoSpace } from './files/free-space.js';
import { knownMigrations, migrate, requireTables } from './migrations.js';
import { schemaDifferences, type SchemaDifferences } from './schema-objects.js';
import type { VerifiableDatabase } from '../evidence/verify.js';
import { connect } from './db.js';
import { SqliteReader } from './reads/reader.js';
import { verifiableOf } from './signing.js';

/** What a database is opened for. Only where it is `examined`, a table may be missing. */
type Use = 'complete' | 'examined';

export interface ReadOnlyDatabase {
  /** Runs SQLite's integrity check. */
  integrity(limit: number): readonly Finding[];
  /** Copies it, as it is at this moment, into a new file. @throws DatabaseUnusableError */
  copyTo(target: string, onProgress: OnProgress): Promise<void>;
  readonly verifiable: Omit<VerifiableDatabase, 'close'>;
  /** As `Reader.tokens`. */
  tokens(): Promise<readonly Token[]>;
  close(): void;
}

/**
 * Opens a database for reading. If a service has it open, it is read in place, and each read sees the latest commit.
 * Else SQLite would create files next to it, so a copy in the temporary folder is read and removed at close.
 *
 * @throws DatabaseUnusableError - It is missing, has no tables, or is another program's.
 * @throws DatabaseDamagedError - SQLite finds it too damaged to be opened, or a table is missing.
 * @throws DatabaseNewerError - A newer version of the program wrote it.
 */
export function openReadOnly(path: string, use: Use = 'complete'): ReadOnlyDatabase {
  const { client, close, changed } = openForReading(path, use);
  const integrity = (limit: number) => integrityOf(client, path, limit);
  const soundness = (limit: number) => Promise.resolve([...changed, ...integrity(limit)].slice(0, limit));
  return {
    integrity,
    copyTo: (target, onProgress) => copyDatabase(client, target, onProgress),
    verifiable: { ...verifiableOf(client), soundness },
    tokens: () => new SqliteReader(connect(client)).tokens(),
    close,
  };
}

/** The connection of `openReadOnly`. @throws As that. */
export function openForReading(path: string, use: Use = 'complete'): Opened & { readonly close: () => void } {
  checkExists(path);
  const folder = existsSync(`${path}-shm`) ? null : mkdtempSync(join(tmpdir(), 'countersign-doctor-'));
  const removeCopy = () => {
    if (folder !== null) rmSync(folder, { recursive: true, force: true });
  };
  let opened: Opened;
  try {
    opened = open(path, folder, use);
  } catch (error) {
    removeCopy();
    throw error;
  }
  return {
    ...opened,
    close: () => {
      opened.client.close();
      removeCopy();
    },
  };
}

interface Opened {
  readonly client: Client;
  /** Tables, views, indexes and triggers that are not those of the product. */
  readonly changed: readonly Finding[];
}

function open(path: string, folder: string | null, use: Use): Opened {
  const known = knownMigrations();
  try {
    const file = folder === null ? path : copyInto(folder, path);
    const client = keepStatements(new Database(file, { readonly: folder === null, fileMustExist: true }));
    const found = schemaDifferences(client, requireTables(client, path, known).applied);
    const lost = found.missing.find(
      (one) => holdsRecords(one.type) || (one.type === 'view' && folder === null),
    );
    if (lost !== undefined && use === 'complete') throw lacks(path, lost.type, lost.name);
    if (folder === null) return { client, changed: findingsOf(path, found) };
    // In the copy, an empty table or column in place of a missing one lets all else be examined.
    for (const one of found.missing) if (holdsRecords(one.type)) client.exec(one.sql);
    migrate(client, path, known, () => undefined);
    return { client, changed: findingsOf(path, found) };
  } catch (error) {
    throw error instanceof Error && error.name.startsWith('Database') ? error : unusable(path, error);
  }
}

function findingsOf(path: string, { missing, triggers }: SchemaDifferences): readonly Finding[] {
  return [
    ...missing.map(({ type, name }) => missingObject(path, type, name)),
    ...triggers.map(({ name }) => foreignTrigger(path, name)),
  ];
}

/** @returns The path of the copy. */
function copyInto(folder: string, path: string): string {
  const copy = join(folder, 'copy.db');
  try {
    copyFileSync(path, copy);
    if (existsSync(`${path}-wal`)) copyFileSync(`${path}-wal`, `${copy}-wal`);
    return copy;
  } catch (cause) {
    if (!isNoSpace(cause)) throw cause;
    const why = `The database ${path} is read from a copy, and ${dirname(folder)} has no space for that; set TMPDIR to a folder that has`;
    throw new DatabaseFullError(why, { cause });
  }
}

/** The check itself may fail on a damaged page: then it says so last. */
function integrityOf(client: Client, path: string, limit: number): readonly Finding[] {
  const findings: Finding[] = [];
  const add = (one: string) =>
    findings.push({ check: 'file_sound', subject: path, detail: `SQLite says: ${one}.` });
  try {
    const check = client.prepare(`pragma integrity_check(${String(limit)})`).pluck();
    for (const one of check.iterate()) if (one !== 'ok') add(String(one));
  } catch (error) {
    const why = whyUnreadable(error);
    if (why === null) throw error;
    add(why);
  }
  return findings;
}
