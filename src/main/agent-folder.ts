// The folder of named agents: NAME.json for each, read when it is asked for.
import { readFileSync, statSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { JsonObject } from '../domain/json.js';
import type { AgentSource } from '../ports/agent-files.js';

const SCHEMA = new URL('../../schemas/agent-blueprint.json', import.meta.url);
const ENDING = '.json';

/** A folder that is not there, in one plain sentence. */
export class NoFolderError extends Error {
  override readonly name = 'NoFolderError';
}

/** @throws NoFolderError Where the path is no folder: most likely it was not typed right. */
export function agentFolder(folder: string): AgentSource {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) {
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
          return await readFile(path.join(folder, name + ENDING), 'utf8');
        } catch (error) {
          const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
          if (code === 'ENOENT') return null;
          throw new Error(`cannot be read (${code})`, { cause: error });
        }
      },
    },
  };
}
