// Two PostgreSQL servers under Patroni, which keeps its state in an etcd of its own, each with a PgBouncer in front.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '../support/eventually.js';
import { freePort } from '../support/free-port.js';
import { execute } from '../support/postgres.js';
import {
  etcd,
  ownFile,
  ownFolder,
  patroni,
  removeFolder,
  run,
  serverPrograms,
  type Running,
} from './packages.js';
import { deployFile, PASSWORD, USER } from './deploy-files.js';
import { startPooler, type Pooler } from './pgbouncer.js';

/** A server with its Patroni. */
export interface Node {
  readonly name: string;
  readonly host: string;
  readonly pooler: Pooler;
  /** Patroni's role of the server, or `null` if nothing answers. */
  role(): Promise<string | null>;
  /** Kills Patroni and the server, as if the machine had lost its power. */
  kill(): Promise<void>;
}

export interface PatroniCluster {
  readonly nodes: readonly Node[];
  stop(): Promise<void>;
}

/** Waits for what takes Patroni its time. */
const PATIENCE_MS = 90_000;

async function configOf(
  name: string,
  ports: { rest: number; server: number; etcd: number },
  folder: string,
): Promise<string> {
  const local = (port: number) => `127.0.0.1:${String(port)}`;
  return deployFile('patroni.yml', {
    NAME: name,
    REST: local(ports.rest),
    ETCD: local(ports.etcd),
    SERVER: local(ports.server),
    FOLDER: folder,
    PROGRAMS: await serverPrograms(),
    PASSWORD,
    NETWORK: '127.0.0.1/32',
  });
}

async function startNode(name: string, etcdPort: number): Promise<{ node: Node; stop: () => Promise<void> }> {
  const folder = ownFolder(`patroni-${name}`);
  const ports = { rest: await freePort(), server: await freePort(), etcd: etcdPort };
  const config = ownFile(join(folder, 'patroni.yml'), await configOf(name, ports, folder));
  const running = run(await patroni(), [config], folder);
  const role = async () => {
    try {
      const response = await fetch(`http://127.0.0.1:${String(ports.rest)}/patroni`);
      const { role: named, state } = (await response.json()) as { role?: string; state?: string };
      return state === 'running' ? (named ?? null) : null;
    } catch {
      return null;
    }
  };
  try {
    await eventually(
      `${name} runs`,
      async () => {
        if (running.process.exitCode !== null) throw new Error(`Patroni ended:\n${running.log.join('')}`);
        return (await role()) !== null;
      },
      PATIENCE_MS,
    );
  } catch (error) {
    await killBoth(running, folder);
    throw new Error(`Patroni did not start:\n${running.log.join('')}`, { cause: error });
  }
  const pooler = await startPooler(ports.server);
  const kill = () => killBoth(running, folder);
  const stop = async () => {
    await kill();
    await pooler.stop();
    removeFolder(folder);
  };
  return { node: { name, host: `127.0.0.1:${String(ports.server)}`, pooler, role, kill }, stop };
}

/** The server is in a session of its own. Its processes end with the first of them. */
async function killBoth(running: Running, folder: string): Promise<void> {
  await running.end('SIGKILL');
  const file = join(folder, 'data', 'postmaster.pid');
  if (!existsSync(file)) return;
  const pid = Number(readFileSync(file, 'utf8').split('\n')[0]);
  if (!(pid > 1) || !existsSync(`/proc/${String(pid)}`)) return;
  process.kill(pid, 'SIGKILL');
  await eventually('the server has ended', () => !existsSync(`/proc/${String(pid)}`));
}

export async function startPatroni(): Promise<PatroniCluster> {
  const stops: (() => Promise<void>)[] = [];
  const stop = async () => {
    for (const one of stops.splice(0).reverse()) await one();
  };
  try {
    const folder = ownFolder('etcd');
    const [client, peer] = [await freePort(), await freePort()];
    const at = (port: number) => `http://127.0.0.1:${String(port)}`;
    const urls = ['listen-client-urls', 'advertise-client-urls'].map((flag) => `--${flag}=${at(client)}`);
    const peers = ['listen-peer-urls', 'initial-advertise-peer-urls'].map((flag) => `--${flag}=${at(peer)}`);
    const store = run(
      await etcd(),
      [
        '--name=etcd',
        `--data-dir=${join(folder, 'data')}`,
        ...urls,
        ...peers,
        `--initial-cluster=etcd=${at(peer)}`,
      ],
      folder,
    );
    stops.push(async () => {
      await store.end('SIGKILL');
      removeFolder(folder);
    });
    await eventually('etcd answers', () =>
      fetch(`${at(client)}/health`).then(
        ({ ok }) => ok,
        () => false,
      ),
    );
    const nodes: Node[] = [];
    for (const name of ['one', 'two']) {
      const { node, stop: stopNode } = await startNode(name, client);
      stops.push(stopNode);
      nodes.push(node);
    }
    const [first] = nodes;
    const replicates = "select 1 from pg_stat_replication where sync_state = 'sync'";
    await eventually(
      'the standby is synchronous',
      async () =>
        (await execute(`postgres://${USER}:${PASSWORD}@${first?.host ?? ''}/postgres`, replicates)).rows
          .length > 0,
      PATIENCE_MS,
    );
    return { nodes, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
