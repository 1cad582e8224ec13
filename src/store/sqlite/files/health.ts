// Whether a database file can be written now.
import type { StorageHealth } from '../../../ports/storage/storage.js';
import { whyNotWritable } from './file-modes.js';
import { hasFreeSpace } from './free-space.js';
import type { StorageWatch } from './storage-watch.js';

/** @param canWrite - Tries it, up to the write to the disk. */
export async function healthOf(
  path: string,
  freeBytesMin: number,
  watch: StorageWatch,
  canWrite: () => Promise<boolean>,
): Promise<StorageHealth> {
  watch.checkNow();
  if (watch.lost !== null) return 'lost';
  if (path !== ':memory:' && whyNotWritable(path) !== null) return 'not_writable';
  // The renewals reach the disk: a file system that fails all writes shows in nothing else.
  if (!(await watch.canRenew())) return 'not_writable';
  return hasFreeSpace(path, freeBytesMin) && (await canWrite()) ? 'ok' : 'not_writable';
}
