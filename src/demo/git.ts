// The git command, asked within bounds and only to read: no repository under review may run a program through it.
import { execFile } from 'node:child_process';

/** Git said no; the message is its first line. */
export class GitError extends Error {
  override readonly name = 'GitError';
}

export interface GitOptions {
  /** 10,000 by default. */
  readonly timeoutMs?: number;
  /** Exit code that says that nothing was found. */
  readonly noneExitCode?: number;
  readonly environment?: Readonly<Record<string, string>>;
}

export interface GitOutput {
  readonly text: string;
  /** False where there was more of it than the bounds allow. */
  readonly complete: boolean;
}

const OUTPUT_BYTES_MAX = 16 * 1024 * 1024;
const TIMEOUT_MS = 10_000;
/** Set where the demonstration is started from a hook; they would point git at another repository. */
const MISLEADING = /^GIT_(DIR|WORK_TREE|INDEX_FILE|COMMON_DIR|OBJECT_DIRECTORY|NAMESPACE|PREFIX)$/;
/** A configuration that comes with the repository may name programs to run. */
const HARMLESS = ['-c', 'core.fsmonitor=false', '-c', 'core.quotePath=false'];

/**
 * What git prints, as far as it comes within the bounds.
 *
 * @throws GitError Where git fails.
 */
export function gitWithin(
  folder: string,
  args: readonly string[],
  options: GitOptions = {},
): Promise<GitOutput> {
  return new Promise((resolve, reject) => {
    execFile(
      'git',
      [...HARMLESS, ...args],
      {
        cwd: folder,
        env: environmentOf(options),
        timeout: options.timeoutMs ?? TIMEOUT_MS,
        maxBuffer: OUTPUT_BYTES_MAX,
        killSignal: 'SIGKILL',
      },
      (error, text, complaint) => {
        if (error === null) resolve({ text, complete: true });
        else if (error.killed === true || error.code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') {
          resolve({ text, complete: false });
        } else if (error.code === options.noneExitCode) resolve({ text: '', complete: true });
        else reject(new GitError(reasonOf(error.code, complaint, error.message)));
      },
    );
  });
}

/** The same, whole or not at all; without white space at its end. */
export async function git(
  folder: string,
  args: readonly string[],
  options: GitOptions = {},
): Promise<string> {
  const { text, complete } = await gitWithin(folder, args, options);
  if (!complete) throw new GitError(`git ${args[0] ?? ''} took too long`);
  return text.trimEnd();
}

function environmentOf({ environment = {} }: GitOptions): Record<string, string | undefined> {
  const kept = Object.entries(process.env).filter(([name]) => !MISLEADING.test(name));
  return { ...Object.fromEntries(kept), LC_ALL: 'C', GIT_OPTIONAL_LOCKS: '0', ...environment };
}

function reasonOf(code: string | number | null | undefined, complaint: string, message: string): string {
  if (code === 'ENOENT') return 'git is not installed';
  const [first = ''] = complaint.trim().split('\n');
  return first === '' ? message : first.replace(/^(fatal|error): /, '');
}
