// Reads named agents from a folder: one file NAME.json each, read on demand.
import { constants, readFileSync, statSync, type Stats } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import path from 'node:path';
import type { JsonObject } from '../../domain/json/json.js';
import type { AgentSource } from '../../ports/agent-files.js';

const SCHEMA = new URL('../../../schemas/agent-blueprint.json', import.meta.url);
const ENDING = '.json';

/** The folder does not exist. The message is one plain sentence. */
export class NoFolderError extends Error {
  override readonly name = 'NoFolderError';
}

/**
 * @param fileBytesMax - Larger files are not read.
 * @throws NoFolderError If the path is not a folder, which usually is a typing error.
 */
export function agentFolder(folder: string, fileBytesMax: number): AgentSource {
  if (!isFolder(folder)) {
    throw new NoFolderError(
      `--agents ${folder} is not a folder; make it, or name the one that has the agents.`,
    );
  }
  return {
    schema: JSON.parse(readFileSync(SCHEMA, 'utf8')) as JsonObject,
    files: {
      names: async () =>
        (await readdir(folder))
          .filter((file) => file.endsWith(ENDING))
          .map((file) => file.slice(0, -ENDING.length))
          .sort(),
      read: async (name) => {
        try {
          return await readRegularFile(path.join(folder, name + ENDING), fileBytesMax);
        } catch (error) {
          if (error instanceof UnfitFileError) throw error;
          const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
          if (code === 'ENOENT') return null;
          throw new Error(`cannot be read (${code})`, { cause: error });
        }
      },
    },
  };
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/** Not a regular file, or a file that is too large. */
class UnfitFileError extends Error {
  override readonly name = 'UnfitFileError';
}

/**
 * Returns the text of a regular file, also through a link. Rejects everything else before reading: reading a FIFO
 * without a writer, or a device, may never end. Opens with O_NONBLOCK, so that opening a FIFO does not wait for a
 * writer either (Windows has neither).
 */
async function readRegularFile(file: string, bytesMax: number): Promise<string> {
  const nonBlocking = process.platform === 'win32' ? 0 : constants.O_NONBLOCK;
  // A socket cannot be opened, so this check first gives the error message that names it.
  refuseUnfit(statSync(file), bytesMax);
  const handle = await open(file, constants.O_RDONLY | nonBlocking);
  try {
    refuseUnfit(await handle.stat(), bytesMax);
    return await handle.readFile('utf8');
  } finally {
    await handle.close();
  }
}

function refuseUnfit(stats: Stats, bytesMax: number): void {
  if (!stats.isFile()) throw new UnfitFileError(`is ${kindOf(stats)}, not a regular file`);
  if (stats.size > bytesMax) {
    throw new UnfitFileError(`has ${String(stats.size)} bytes; at most ${String(bytesMax)} are allowed`);
  }
}

function kindOf(stats: Stats): string {
  if (stats.isDirectory()) return 'a directory';
  if (stats.isFIFO()) return 'a FIFO';
  if (stats.isSocket()) return 'a socket';
  return 'a device';
}
