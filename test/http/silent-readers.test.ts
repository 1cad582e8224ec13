// Many readers that take nothing, over real sockets: what they cost others and the service.
import { connect, type Socket } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../../src/domain/limits.js';
import { createHttpApp, listen, type Listening } from '../../src/http/index.js';
import { eventually, pause } from '../support/eventually.js';
import { must, openHarness, silent, type Harness } from '../service/harness.js';

const READERS = 60;
const STALL_MS = 2000;
const LIMITS = { streamStallMs: STALL_MS };

describe('readers that take nothing', () => {
  let harness: Harness;
  let served: Listening;
  let id: string;
  let sockets: Socket[];
  beforeEach(async () => {
    sockets = [];
    harness = await openHarness(LIMITS);
    must(await harness.operator.schemas.register({ name: 'plan', json_schema: { type: 'object' } }));
    id = must(await harness.operator.states.create({ schema_name: 'plan', initial_data: {} })).state_id;
    const app = createHttpApp({
      host: harness.service,
      limits: { ...DEFAULT_LIMITS, ...LIMITS },
      logger: silent,
      clock: { now: () => Date.now(), wall: () => Date.now() },
      auth: false,
      allowedHosts: [],
      allowedOrigins: [],
      version: '1',
      draining: () => false,
    });
    served = await listen(app, { host: '127.0.0.1', port: 0, drainMs: 100 });
  });
  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    const closed = served.close();
    await harness.close();
    await closed;
  });

  const open = (): Promise<Socket> =>
    new Promise((resolve, reject) => {
      const socket = connect(served.port, '127.0.0.1', () => {
        socket.write(`GET /workflow-states/${id}/stream HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`);
        // Its first words, and nothing from then on.
        socket.once('data', () => {
          socket.pause();
          resolve(socket);
        });
      });
      socket.on('error', reject);
      sockets.push(socket);
    });
  const metric = async (name: string) => {
    const text = await (await fetch(`${served.url}/metrics`)).text();
    return Number(new RegExp(`^countersign_${name} (\\d+)$`, 'm').exec(text)?.[1]);
  };

  it('share the bytes of an event, and neither a write nor the event loop waits for them', async () => {
    await Promise.all(Array.from({ length: READERS }, open));
    const delay = monitorEventLoopDelay({ resolution: 5 });
    const before = process.memoryUsage().arrayBuffers;
    delay.enable();
    // More than what the system takes for a reader on the loopback.
    for (const letter of 'abcdef') {
      must(await harness.operator.states.replace(id, { text: letter.repeat(900_000) }, {}));
    }
    await eventually('readers wait', async () => (await metric('stream_buffered_bytes')) > 0);
    delay.disable();
    const held = process.memoryUsage().arrayBuffers - before;
    expect(await metric('stream_buffered_bytes')).toBeLessThanOrEqual(DEFAULT_LIMITS.streamBufferBytesMax);
    // A copy for each reader would be 54 MB of each event.
    expect(held).toBeLessThan(50 * 1024 ** 2);
    // All of them in one go would take much longer.
    expect(delay.percentile(99) / 1e6).toBeLessThan(500);
  });

  it('are dropped at the time that is documented, not at twice that', async () => {
    const socket = await open();
    for (const letter of 'abcdef') {
      must(await harness.operator.states.replace(id, { text: letter.repeat(900_000) }, {}));
    }
    const closed = new Promise((resolve) => socket.once('close', resolve));
    await eventually('it is dropped', async () => (await metric('streams_dropped_total')) === 1);
    const from = performance.now();
    // Its connection is closed a tenth of the time later, whether it reads on by then or not.
    await pause(STALL_MS / 4);
    socket.resume();
    await closed;
    expect(performance.now() - from).toBeLessThan(STALL_MS);
  });
});
