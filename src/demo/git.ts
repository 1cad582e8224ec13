// Reads a repository through git. No repository under review can run a program through it.
import { execFile } from 'node:child_process';

/** Git failed; the message is its first line. */
export class GitError extends Error {
  override readonly name = 'GitError';
}

interface GitOptions {
  /** Exit code that says that nothing was found. */
  readonly noneExitCode?: number;
  readonly environment?: Readonly<Record<string, string>>;
}

const OUTPUT_BYTES_MAX = 16 * 1024 * 1024;
const TIMEOUT_MS = 10_000;
/** A git hook that starts the demonstration sets them; they point git at another repository. */
const MISLEADING = /^GIT_(DIR|WORK_TREE|INDEX_FILE|COMMON_DIR|OBJECT_DIRECTORY|NAMESPACE|PREFIX)$/;
/** A configuration that comes with the repository may name programs to run. */
const HARMLESS = ['-c', 'core.fsmonitor=false', '-c', 'core.quotePath=false'];

/**
 * What git prints, without white space at its end.
 *
 * @throws GitError Git fails, takes too long, or prints too much.
 */
export function git(folder: string, args: readonly string[], options: GitOptions = {}): Promise<string> {
  const variables = Object.entries(process.env).filter(([name]) => !MISLEADING.test(name));
  const env = {
    ...Object.fromEntries(variables),
    LC_ALL: 'C',
    GIT_OPTIONAL_LOCKS: '0',
    ...options.environment,
  };
  return new Promise((resolve, reject) => {
    execFile(
      'git',
      [...HARMLESS, ...args],
      { cwd: folder, env, timeout: TIMEOUT_MS, maxBuffer: OUTPUT_BYTES_MAX, killSignal: 'SIGKILL' },
      (error, text, complaint) => {
        if (error === null) resolve(text.trimEnd());
        else if (error.code === options.noneExitCode) resolve('');
        else if (error.code === 'ENOENT') reject(new GitError('git is not installed'));
        else reject(new GitError(firstLine(complaint) || error.message));
      },
    );
  });
}

function firstLine(complaint: string): string {
  return (complaint.trim().split('\n')[0] ?? '').replace(/^(fatal|error): /, '');
}
