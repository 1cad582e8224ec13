// The expected errors that keep the program from starting.
import { SigningSecretError } from '../../domain/evidence/keys.js';
import { ListenError } from '../../http/index.js';
import { RunnerRefused } from '../../runner/index.js';
import { DatabaseNewerError, DatabaseUnusableError } from '../../store/sqlite/index.js';
import { NoFolderError } from '../runner/agent-folder.js';
import { StartError } from '../coordinator.js';

const EXPECTED = [
  StartError,
  SigningSecretError,
  NoFolderError,
  ListenError,
  DatabaseNewerError,
  DatabaseUnusableError,
  RunnerRefused,
];

/** @returns The message, one plain sentence; `null` for an unexpected error. */
export function plainReason(error: unknown): string | null {
  return error instanceof Error && EXPECTED.some((kind) => error instanceof kind) ? error.message : null;
}
