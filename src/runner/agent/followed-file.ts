// Reads a file while another program appends to it.
import { open } from 'node:fs/promises';

interface FollowedFile {
  /** Reads the rest, then stops. */
  end(): Promise<void>;
}

const PACE_MS = 200;
const CHUNK_BYTES = 64 * 1024;

/** @param onChunk - Gets the whole content once, in order; never called if the file does not appear. */
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

  // A read error is ignored: the end of the client is still reported by its process.
  const readNext = () => (reading = reading.then(readOn).catch(() => undefined));
  const timer = setInterval(() => void readNext(), PACE_MS);
  return {
    async end() {
      clearInterval(timer);
      await readNext();
    },
  };
}
