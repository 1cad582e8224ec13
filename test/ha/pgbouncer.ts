// A PgBouncer in front of one server.
import { join } from 'node:path';
import { execute } from '../support/postgres.js';
import { eventually } from '../support/eventually.js';
import { freePort } from '../support/free-port.js';
import { ownFile, ownFolder, pgbouncer, removeFolder, run } from './packages.js';

export interface Pooler {
  readonly host: string;
  stop(): Promise<void>;
}

/** @param serverPort - Of the server, on this machine. */
export async function startPooler(
  serverPort: number,
  user: string,
  mode: 'transaction' | 'session' = 'transaction',
): Promise<Pooler> {
  const folder = ownFolder('pgbouncer');
  const port = await freePort();
  const users = ownFile(join(folder, 'users.txt'), `"${user}" ""\n`);
  const settings = [
    '[databases]',
    `* = host=127.0.0.1 port=${String(serverPort)}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${String(port)}`,
    'unix_socket_dir =',
    'auth_type = trust',
    `auth_file = ${users}`,
    `pool_mode = ${mode}`,
    'max_client_conn = 200',
    // In transaction mode fewer than the coordinators have: they share.
    `default_pool_size = ${mode === 'transaction' ? '8' : '50'}`,
    'server_login_retry = 1',
    // Without its server it lets nobody wait for long: coordinators then look for the other one.
    'query_wait_timeout = 5',
    '',
  ];
  const config = ownFile(join(folder, 'pgbouncer.ini'), settings.join('\n'));
  const pooler = run(await pgbouncer(), [config], folder);
  const host = `127.0.0.1:${String(port)}`;
  await eventually('PgBouncer answers', async () => {
    if (pooler.process.exitCode !== null) throw new Error(`PgBouncer ended:\n${pooler.log.join('')}`);
    return execute(`postgres://${user}@${host}/postgres`, 'select 1').then(
      () => true,
      () => false,
    );
  });
  const stop = async () => {
    await pooler.end('SIGKILL');
    removeFolder(folder);
  };
  return { host, stop };
}
