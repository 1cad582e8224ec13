// What keeps the program from starting, in one plain sentence.
import { ListenError } from '../http/index.js';
import { RunnerRefused } from '../runner/index.js';
import { DatabaseNewerError, DatabaseUnusableError } from '../store/sqlite/index.js';
import { NoFolderError } from './agent-folder.js';
import { StartError } from './coordinator.js';

const EXPECTED = [
  StartError,
  NoFolderError,
  ListenError,
  DatabaseNewerError,
  DatabaseUnusableError,
  RunnerRefused,
];

/** @returns The sentence; `null` for what nobody expected. */
export function plainReason(error: unknown): string | null {
  return error instanceof Error && EXPECTED.some((kind) => error instanceof kind) ? error.message : null;
}
