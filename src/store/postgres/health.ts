// Whether a database can be written now, and if not, whether it is lost or only slow.
import { StorageError, type StorageHealth } from '../../ports/storage.js';
import type { Connections } from './connections.js';

const PROBE = {
  name: 'probe',
  text: "select current_setting('transaction_read_only') = 'off' as is_writable",
};

/**
 * Asks on a connection of the pool. If there is no answer in half of the time, a new connection tells whether the server
 * is there at all: the connections of the pool may all be in use, or wait for a lock.
 *
 * @param probeMs - Milliseconds until this is decided, about.
 */
export async function healthOf(connections: Connections, probeMs: number): Promise<StorageHealth> {
  const asked = ask(connections);
  const atOnce = await within(asked, probeMs / 2);
  if (atOnce !== null) return atOnce;
  const late = await within(Promise.race([asked, reach(connections, probeMs)]), probeMs / 2);
  return late ?? 'lost';
}

async function ask(connections: Connections): Promise<StorageHealth> {
  try {
    return await connections.use(async (connection) => {
      const { rows } = await connection.query<{ is_writable: boolean }>(PROBE);
      return rows[0]?.is_writable === true ? 'ok' : 'not_writable';
    });
  } catch (error) {
    return error instanceof StorageError && error.code === 'storage_busy' ? 'slow' : 'lost';
  }
}

async function reach(connections: Connections, withinMs: number): Promise<StorageHealth> {
  return (await connections.canConnect(withinMs)) ? 'slow' : 'lost';
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
