// The git repository of a mirror, through the program `git`. Knows nothing of states.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { lstat, realpath } from 'node:fs/promises';
import path from 'node:path';
import type { CliIo } from '../io/io.js';
import { importText, type MirrorCommit } from './commit-text.js';

/** Variables that say how git itself is set up. All others of git may name another repository. */
const KEPT_VARIABLES = ['GIT_EXEC_PATH', 'GIT_CONFIG_GLOBAL', 'GIT_CONFIG_SYSTEM', 'GIT_CONFIG_NOSYSTEM'];
/** Files that one call of git is given. */
const PATHS_PER_CALL = 200;
const ERROR_CHARACTERS_MAX = 500;

/** git is missing, or a command failed. */
export class GitError extends Error {
  override readonly name = 'GitError';
}

/** The branch of the next commit. */
export interface GitHead {
  /** Full name of the branch. */
  readonly branch: string;
  /** `null` for a branch without a commit. */
  readonly commit: string | null;
}

export class GitRepository {
  private constructor(
    readonly dir: string,
    private readonly env: NodeJS.ProcessEnv,
  ) {}

  /**
   * Opens the repository whose top is this folder. Creates one if the folder is not the top of one: commits to a
   * repository that merely contains the folder could get in the way of its owner.
   *
   * @throws GitError If git is missing or cannot be used here.
   */
  static async open(dir: string, { env }: Pick<CliIo, 'env'>): Promise<GitRepository> {
    const top = await realpath(dir);
    const git = new GitRepository(top, environment(top, env));
    await git.#run(['--version']);
    if ((await lstat(path.join(top, '.git')).catch(() => null)) === null) await git.#run(['init', '-q']);
    const found = (await git.#run(['rev-parse', '--show-toplevel'])).replace(/\r?\n$/, '');
    if ((await realpath(found)) !== top) throw new GitError(`${dir} is not the top of a git repository`);
    await git.head();
    return git;
  }

  /** @throws GitError If no branch is checked out. */
  async head(): Promise<GitHead> {
    const branch = await this.#answer(['symbolic-ref', '-q', 'HEAD']);
    if (branch === null) throw new GitError(`no branch is checked out in ${this.dir}; check one out`);
    return { branch, commit: await this.#answer(['rev-parse', '-q', '--verify', 'HEAD^{commit}']) };
  }

  /** The content of files of this name in all folders at the top, by folder. */
  async filesNamed(name: string, { commit }: GitHead): Promise<ReadonlyMap<string, string>> {
    if (commit === null) return new Map();
    const listed = await this.#run(['ls-tree', '-r', '-z', commit]);
    const found: { folder: string; object: string }[] = [];
    for (const entry of listed.split('\0')) {
      const [, object, entryPath] = /^\d+ blob ([0-9a-f]+)\t(.*)$/s.exec(entry) ?? [];
      const [folder, file, ...rest] = (entryPath ?? '').split('/');
      if (object !== undefined && folder !== undefined && file === name && rest.length === 0)
        found.push({ folder, object });
    }
    const contents = await this.#contents(found.map(({ object }) => object));
    return new Map(
      found.flatMap(({ folder, object }) => {
        const text = contents.get(object);
        return text === undefined ? [] : [[folder, text] as const];
      }),
    );
  }

  /**
   * Adds commits to the branch. Needs no index and no files, and runs no hooks.
   *
   * @throws GitError Also if another process has moved the branch; then nothing was added.
   */
  async commit(head: GitHead, commits: readonly MirrorCommit[]): Promise<void> {
    const text = importText(head.branch, head.commit === null, commits, Date.now());
    await this.#run(['fast-import', '--quiet', '--done', '--date-format=raw'], text);
  }

  /** Brings the index to the last commit for these files. Else the next commit of a person would undo ours. */
  async resetIndex(files: readonly string[]): Promise<void> {
    for (let at = 0; at < files.length; at += PATHS_PER_CALL)
      await this.#run(['reset', '-q', '--', ...files.slice(at, at + PATHS_PER_CALL)]);
  }

  /** Files of these names, in folders at the top, whose index entries are not those of the last commit. */
  async filesOffIndex(names: readonly string[]): Promise<readonly string[]> {
    const differing = await this.#run(['diff', '--cached', '--name-only', '--no-renames', '-z']);
    return differing.split('\0').filter((entryPath) => {
      const [, name, ...rest] = entryPath.split('/');
      return name !== undefined && names.includes(name) && rest.length === 0;
    });
  }

  /** Lets git pack loose objects, if it has enough of them. */
  async tidy(): Promise<void> {
    await this.#run(['gc', '--auto', '--quiet']);
  }

  async #contents(objects: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const found = new Map<string, string>();
    if (objects.length === 0) return found;
    const answer = Buffer.from(
      await this.#run(['cat-file', '--batch'], `${objects.join('\n')}\n`, 'latin1'),
      'latin1',
    );
    for (let at = 0; at < answer.length;) {
      const end = answer.indexOf('\n', at);
      const [object = '', , size] = answer.toString('latin1', at, end).split(' ');
      const length = Number(size);
      if (end < 0 || !Number.isSafeInteger(length))
        throw new GitError('git cat-file answered in another form');
      found.set(object, answer.toString('utf8', end + 1, end + 1 + length));
      at = end + length + 2;
    }
    return found;
  }

  /** The answer without its line end; `null` if git has none. */
  async #answer(args: readonly string[]): Promise<string | null> {
    const { code, stdout } = await this.#ran(args, '', 'utf8');
    return code === 0 ? stdout.trimEnd() : null;
  }

  async #run(args: readonly string[], input = '', encoding: BufferEncoding = 'utf8'): Promise<string> {
    const { code, stdout, stderr } = await this.#ran(args, input, encoding);
    if (code === 0) return stdout;
    const words = stderr.trim().slice(0, ERROR_CHARACTERS_MAX);
    throw new GitError(`git ${args[0] ?? ''} failed${words === '' ? '' : `: ${words}`}`);
  }

  #ran(args: readonly string[], input: string, encoding: BufferEncoding): Promise<Ran> {
    return new Promise((resolve, reject) => {
      // In a process group of its own: Ctrl-C is for the mirror, which lets git finish.
      const child = spawn('git', args, { cwd: this.dir, env: this.env, stdio: 'pipe', detached: true });
      const out: Buffer[] = [];
      const errors: Buffer[] = [];
      child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
      child.stderr.on('data', (chunk: Buffer) => errors.push(chunk));
      child.stdin.on('error', () => undefined); // git ended without reading it; its exit code says why
      child.on('error', (cause: NodeJS.ErrnoException) => {
        const isThere = existsSync(this.dir); // a missing folder has the same code as a missing program
        const why =
          cause.code === 'ENOENT' && isThere ? 'it is not installed, or not in PATH' : cause.message;
        reject(new GitError(`git cannot be run: ${why}`, { cause }));
      });
      child.on('close', (code) => {
        const stdout = Buffer.concat(out).toString(encoding);
        resolve({ code, stdout, stderr: Buffer.concat(errors).toString('utf8') });
      });
      child.stdin.end(input);
    });
  }
}

interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Uses only the folder's repository, and disables git's prompts. */
function environment(top: string, env: CliIo['env']): NodeJS.ProcessEnv {
  const own = Object.entries(env).filter(
    ([name]) => !name.startsWith('GIT_') || KEPT_VARIABLES.includes(name),
  );
  return {
    ...Object.fromEntries(own),
    GIT_CEILING_DIRECTORIES: path.dirname(top),
    GIT_LITERAL_PATHSPECS: '1',
    GIT_TERMINAL_PROMPT: '0',
    LC_ALL: 'C',
  };
}
