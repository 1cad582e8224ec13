// The programs of Debian's packages. As root, what is missing is installed.
import { spawn, type ChildProcess } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const FOLDERS = ['/usr/sbin', '/usr/bin', '/usr/local/bin'];
const SERVERS = '/usr/lib/postgresql';

/** How long it may take until the packages are there and their programs run. */
export const INSTALL_MS_MAX = 300_000;

/** The user `nobody`: PostgreSQL and PgBouncer refuse to run as root. */
const NOBODY = 65_534;

const isRoot = () => process.getuid?.() === 0;

function find(program: string): string | undefined {
  return FOLDERS.map((folder) => join(folder, program)).find((path) => existsSync(path));
}

/** The folder of the programs of the newest server. */
function findServer(): string | undefined {
  if (!existsSync(SERVERS)) return undefined;
  const versions = readdirSync(SERVERS).toSorted((a, b) => Number(b) - Number(a));
  return versions
    .map((version) => join(SERVERS, version, 'bin'))
    .find((bin) => existsSync(join(bin, 'initdb')));
}

async function installed(find: () => string | undefined, packages: readonly string[]): Promise<string> {
  const script: string = new URL('../../scripts/debian-packages.mjs', import.meta.url).href;
  const { withPackages } = await import(script);
  const found: string | undefined = withPackages(find, packages);
  if (found === undefined)
    throw new Error(`Install the Debian packages ${packages.join(' ')}: this test needs them`);
  return found;
}

export const pgbouncer = () => installed(() => find('pgbouncer'), ['pgbouncer']);
export const etcd = () => installed(() => find('etcd'), ['etcd-server']);
export const patroni = () =>
  installed(() => find('patroni'), ['patroni', 'python3-etcd', 'python3-psycopg2']);
export const serverPrograms = () => installed(findServer, ['postgresql']);

/** A folder of the user that the programs run as. */
export function ownFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `countersign-${name}-`));
  if (isRoot()) chownSync(folder, NOBODY, NOBODY);
  return folder;
}

export function ownFile(path: string, text: string): string {
  writeFileSync(path, text, { mode: 0o600 });
  if (isRoot()) chownSync(path, NOBODY, NOBODY);
  return path;
}

/** A program that runs until it is ended. */
export interface Running {
  readonly process: ChildProcess;
  /** What it wrote, for errors. */
  readonly log: readonly string[];
  end(signal: NodeJS.Signals): Promise<void>;
}

/** Starts a program as the user `nobody`. */
export function run(program: string, args: readonly string[], folder: string): Running {
  const user = isRoot() ? { uid: NOBODY, gid: NOBODY } : {};
  const env = { PATH: process.env['PATH'] ?? '', HOME: folder, LC_ALL: 'C' };
  const child = spawn(program, args, {
    ...user,
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const log: string[] = [];
  const note = (text: string) => {
    log.push(text);
    if (log.length > 300) log.shift();
  };
  child.stdout.setEncoding('utf8').on('data', note);
  child.stderr.setEncoding('utf8').on('data', note);
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    await ended;
  };
  return { process: child, log, end };
}

export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}
