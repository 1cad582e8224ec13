// A folder for the files of one run, which hold its token: nobody else can read them, and they go with the run.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { JsonValue } from '../../domain/json.js';

export interface PrivateFolder {
  /** Absolute. */
  readonly path: string;
  /** Writes files by name: a text as it is, anything else as JSON. */
  write(files: Readonly<Record<string, JsonValue>>): Promise<void>;
  remove(): Promise<void>;
}

/** `mkdtemp` makes the folder for its owner alone. */
export async function openPrivateFolder(): Promise<PrivateFolder> {
  const folder = await mkdtemp(path.join(tmpdir(), 'countersign-run-'));
  return {
    path: folder,
    async write(files) {
      for (const [name, content] of Object.entries(files)) {
        const text = typeof content === 'string' ? content : JSON.stringify(content);
        await writeFile(path.join(folder, name), text, { mode: 0o600 });
      }
    },
    // A process that the client has left behind may still write there: that costs no run its result.
    remove: () =>
      rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 }).catch(() => undefined),
  };
}
