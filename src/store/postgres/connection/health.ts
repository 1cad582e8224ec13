// Whether a database can be written now, and if not, whether it is lost or only slow.
import { is } from 'drizzle-orm';
import { getTableConfig, PgTable } from 'drizzle-orm/pg-core';
import type { ClientBase } from 'pg';
import { StorageError, type StorageHealth } from '../../../ports/storage/storage.js';
import * as tables from '../tables/tables.js';
import { ReadOnlyConnectionError, type Connections } from './connections.js';

const { events, snapshots, archives, receipts, notices, commitChanges } = tables;
/** Rows of these tables are written once. */
const APPENDED: readonly PgTable[] = [events, snapshots, archives, receipts, notices, commitChanges];

/** Each right without which some request fails, and its table. */
const RIGHTS = Object.values(tables).flatMap((table) => {
  if (!is(table, PgTable)) return [];
  const rights = ['select', 'insert', ...(APPENDED.includes(table) ? [] : ['update'])];
  return rights.map((right) => [getTableConfig(table).name, right] as const);
});

/** A table that is not there, or out of sight, gives null. */
const MAY_WRITE = `select current_setting('transaction_read_only') = 'off' as is_writable,
    coalesce(has_sequence_privilege(to_regclass($3), 'usage, update'), false)
    and (select bool_and(coalesce(has_table_privilege(to_regclass(name), privilege), false))
      from unnest($1::text[], $2::text[]) as needed (name, privilege)) as has_rights`;

/**
 * Asks on a connection of the pool. Without an answer in half of the time, or where that connection turns out to be dead
 * or may not write, a new connection tells: the connections of the pool may all be in use, wait for a lock, be from before
 * the server was started again, or from when it accepted no writes.
 *
 * @param probeMs - Milliseconds until this is decided, about.
 */
export async function healthOf(connections: Connections, probeMs: number): Promise<StorageHealth> {
  const asked = askPool(connections);
  const atOnce = await within(asked, probeMs / 2);
  if (atOnce === 'lost') return (await within(askAnew(connections, probeMs / 2), probeMs / 2)) ?? 'lost';
  if (atOnce !== null) return atOnce;
  const ofServer = askAnew(connections, probeMs / 2).then((health) => (health === 'lost' ? 'lost' : 'slow'));
  return (await within(Promise.race([asked, ofServer]), probeMs / 2)) ?? 'lost';
}

async function askPool(connections: Connections): Promise<StorageHealth> {
  try {
    const hasRights = await connections.use(async (connection) => {
      const found = await facts(connection);
      if (found?.is_writable !== true) throw new ReadOnlyConnectionError();
      return found.has_rights;
    });
    return hasRights ? 'ok' : 'not_writable';
  } catch (error) {
    return error instanceof StorageError && error.code === 'storage_busy' ? 'slow' : 'lost';
  }
}

async function askAnew(connections: Connections, withinMs: number): Promise<StorageHealth> {
  const may = await connections.askAnew(withinMs, mayWrite);
  if (may === null) return 'lost';
  return may ? 'ok' : 'not_writable';
}

/** Whether the server accepts writes, and the role has the rights to make them. Reads no table. */
async function mayWrite(connection: ClientBase): Promise<boolean> {
  const found = await facts(connection);
  return found !== undefined && found.is_writable && found.has_rights;
}

interface Facts {
  readonly is_writable: boolean;
  readonly has_rights: boolean;
}

async function facts(connection: ClientBase): Promise<Facts | undefined> {
  const { rows } = await connection.query<Facts>(MAY_WRITE, [
    RIGHTS.map(([table]) => table),
    RIGHTS.map(([, right]) => right),
    tables.commitNumbers.seqName,
  ]);
  return rows[0];
}

/** @returns `null` if it takes longer. */
async function within<T>(promise: Promise<T>, ms: number): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
