// Whether a database can be written now, and if not, whether it is lost or only slow.
import { StorageError, type StorageHealth } from '../../../ports/storage/storage.js';
import { isWritable, type Connection, type Connections } from './connections.js';

/**
 * Asks on a connection of the pool. Without an answer in half of the time, or where that connection turns out to be dead,
 * a new connection tells whether the server is there: the connections of the pool may all be in use, wait for a lock, or
 * be from before the server was started again.
 *
 * @param probeMs - Milliseconds until this is decided, about.
 */
export async function healthOf(connections: Connections, probeMs: number): Promise<StorageHealth> {
  const asked = askPool(connections);
  const atOnce = await within(asked, probeMs / 2);
  if (atOnce === 'lost') return (await within(askServer(connections, probeMs / 2), probeMs / 2)) ?? 'lost';
  if (atOnce !== null) return atOnce;
  const ofServer = askServer(connections, probeMs / 2).then((health) =>
    health === 'lost' ? 'lost' : 'slow',
  );
  return (await within(Promise.race([asked, ofServer]), probeMs / 2)) ?? 'lost';
}

async function askPool(connections: Connections): Promise<StorageHealth> {
  try {
    return await connections.use(healthOn);
  } catch (error) {
    return error instanceof StorageError && error.code === 'storage_busy' ? 'slow' : 'lost';
  }
}

async function healthOn(connection: Connection): Promise<StorageHealth> {
  return (await isWritable(connection)) ? 'ok' : 'not_writable';
}

async function askServer(connections: Connections, withinMs: number): Promise<StorageHealth> {
  const acceptsWrites = await connections.acceptsWrites(withinMs);
  if (acceptsWrites === null) return 'lost';
  return acceptsWrites ? 'ok' : 'not_writable';
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
