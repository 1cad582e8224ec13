// A coordinator whose PostgreSQL server is out of reach for a time.
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startCoordinator, type Coordinator } from '../../../src/main/coordinator.js';
import type { Logger } from '../../../src/ports/runtime.js';
import { eventually } from '../../support/eventually.js';
import { newMigratedDatabase } from '../../support/postgres.js';
import { openRelay, type Relay } from '../../support/relay.js';

const ignore = () => undefined;
const logger: Logger = { verbose: false, debug: ignore, info: ignore, warn: ignore, error: ignore };

describe('a coordinator that cannot reach its PostgreSQL server', () => {
  let relay: Relay;
  /** The server itself. */
  let server: string;
  let coordinator: Coordinator;
  beforeEach(async () => {
    server = await newMigratedDatabase();
    const db = new URL(server);
    relay = await openRelay(Number(db.port));
    db.port = new URL(relay.url).port;
    const options = { host: '127.0.0.1', port: 0, auth: false, allowHosts: [], allowOrigins: [], limits: {} };
    coordinator = await startCoordinator({ ...options, db: db.href, logger });
  });
  afterEach(async () => {
    relay.cut(false);
    relay.hold(false);
    await coordinator.close();
    await relay.close();
  });
  const call = async (method: string, path: string, body?: object) => {
    const response = await fetch(coordinator.url + path, {
      method,
      ...(body === undefined
        ? {}
        : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
    const text = await response.text();
    const answer = JSON.parse(text) as Record<string, unknown>;
    return { status: response.status, retryAfter: response.headers.get('retry-after'), answer };
  };
  const create = (name: string) => call('POST', '/sessions', { session_name: name, external: true });

  it('counts its connections in the metrics', async () => {
    await create('one');
    const metrics = await (await fetch(`${coordinator.url}/metrics`)).text();
    const counted = (status: string) =>
      Number(
        new RegExp(`^countersign_database_connections{status="${status}"} (\\d+)$`, 'm').exec(metrics)?.[1],
      );
    expect(counted('waiting')).toBe(0);
    expect(counted('idle') + counted('busy')).toBeGreaterThan(0);
  });

  it('is not ready where the network is silent, and says that the database is lost', async () => {
    relay.hold();
    expect(await call('GET', '/readyz')).toMatchObject({ status: 503, answer: { database: 'lost' } });
    relay.hold(false);
    await eventually('it is ready', async () => (await call('GET', '/readyz')).answer['database'] === 'ok');
  });

  it('is ready where the database is there and slow, and says so', async () => {
    const blocker = new pg.Client({ connectionString: server });
    await blocker.connect();
    await blocker.query('begin');
    await blocker.query('lock table sessions in access exclusive mode');
    // More than it has connections.
    const waiting = Array.from({ length: 12 }, () => call('GET', '/sessions'));
    const slow = { status: 200, answer: { status: 'ok', database: 'slow' } };
    await eventually('it is slow', async () => (await call('GET', '/readyz')).answer['database'] === 'slow');
    expect(await call('GET', '/readyz')).toMatchObject(slow);
    await blocker.end();
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual(waiting.map(() => 200));
    expect(await call('GET', '/readyz')).toMatchObject({ status: 200, answer: { database: 'ok' } });
  });

  it('answers 503 with Retry-After, is alive and not ready, and goes on by itself with all that it acknowledged', async () => {
    const acknowledged: string[] = [];
    for (let round = 0; round < 3; round += 1) {
      relay.cut(false);
      await eventually('it is ready', async () => (await call('GET', '/readyz')).status === 200);
      await eventually('it writes', async () => {
        const name = `s-${String(round)}-${String(acknowledged.length)}`;
        const { status } = await create(name);
        if (status === 201) acknowledged.push(name);
        return status === 201;
      });
      relay.cut();
      const refused = { status: 503, retryAfter: '1', answer: { error: 'storage_failed' } };
      expect(await create('never')).toMatchObject(refused);
      expect(await call('GET', '/sessions')).toMatchObject(refused);
      expect(await call('GET', '/readyz')).toMatchObject({ status: 503 });
      expect(await call('GET', '/healthz')).toMatchObject({ status: 200, answer: { status: 'ok' } });
    }
    relay.cut(false);
    await eventually('it is ready', async () => (await call('GET', '/readyz')).status === 200);
    for (const name of acknowledged) expect((await call('GET', `/sessions/${name}`)).status).toBe(200);
    expect((await call('GET', '/sessions/never')).status).toBe(404);
    expect(acknowledged).toHaveLength(3);
  });
});
