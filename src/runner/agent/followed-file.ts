// A file that another program writes, heard while it grows.
import { open } from 'node:fs/promises';

export interface FollowedFile {
  /** Hears what there still is, and nothing more. */
  end(): Promise<void>;
}

const PACE_MS = 200;
const CHUNK_BYTES = 64 * 1024;

/** @param onChunk - Gets all of it once, in order; nothing where the file never comes to be. */
export function followFile(path: string, onChunk: (chunk: Buffer) => void): FollowedFile {
  let from = 0;
  let reading = Promise.resolve();

  async function readOn(): Promise<void> {
    const file = await open(path).catch(() => null);
    if (file === null) return;
    try {
      for (;;) {
        const { bytesRead, buffer } = await file.read(Buffer.alloc(CHUNK_BYTES), 0, CHUNK_BYTES, from);
        if (bytesRead === 0) return;
        from += bytesRead;
        onChunk(buffer.subarray(0, bytesRead));
      }
    } finally {
      await file.close();
    }
  }

  // What cannot be read tells nothing; the client's own end still does.
  const readNext = () => (reading = reading.then(readOn).catch(() => undefined));
  const timer = setInterval(() => void readNext(), PACE_MS);
  return {
    async end() {
      clearInterval(timer);
      await readNext();
    },
  };
}
