// A PgBouncer in front of one server.
import { join } from 'node:path';
import { execute } from '../support/postgres.js';
import { eventually } from '../support/eventually.js';
import { freePort } from '../support/free-port.js';
import { deployFile, PASSWORD, USER } from './deploy-files.js';
import { ownFile, ownFolder, pgbouncer, removeFolder, run } from './packages.js';

export interface Pooler {
  readonly host: string;
  stop(): Promise<void>;
}

/** @param serverPort - Of the server, on this machine. */
export async function startPooler(
  serverPort: number,
  mode: 'transaction' | 'session' = 'transaction',
): Promise<Pooler> {
  const folder = ownFolder('pgbouncer');
  const port = await freePort();
  const users = ownFile(join(folder, 'users.txt'), `"${USER}" "${PASSWORD}"\n`);
  const text = deployFile('pgbouncer.ini', {
    HOST: '127.0.0.1',
    PORT: String(serverPort),
    LISTEN: '127.0.0.1',
    OWN: String(port),
    USERS: users,
  });
  const inSessions = text.replace('pool_mode = transaction', 'pool_mode = session').replace('= 8', '= 50');
  const config = ownFile(join(folder, 'pgbouncer.ini'), mode === 'session' ? inSessions : text);
  const pooler = run(await pgbouncer(), [config], folder);
  const host = `127.0.0.1:${String(port)}`;
  await eventually('PgBouncer answers', async () => {
    if (pooler.process.exitCode !== null) throw new Error(`PgBouncer ended:\n${pooler.log.join('')}`);
    return execute(`postgres://${USER}:${PASSWORD}@${host}/postgres`, 'select 1').then(
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
