// One address for several coordinators, as a load balancer gives it: new connections go in turn to those that say that
// they are ready. Connections to one that does not are ended.
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { pause } from '../eventually.js';

export interface Balancer {
  readonly url: string;
  close(): Promise<void>;
}

const PACE_MS = 200;
/** A coordinator that does not say in this time that it is ready, is not. */
const ANSWER_MS = 1500;

interface Target {
  readonly port: number;
  readonly sockets: Set<Socket>;
  isReady: boolean;
}

async function isReady(port: number): Promise<boolean> {
  try {
    const url = `http://127.0.0.1:${String(port)}/readyz`;
    const response = await fetch(url, { signal: AbortSignal.timeout(ANSWER_MS) });
    await response.body?.cancel();
    return response.status === 200;
  } catch {
    return false;
  }
}

export async function openBalancer(ports: readonly number[]): Promise<Balancer> {
  const targets: readonly Target[] = ports.map((port) => ({ port, sockets: new Set(), isReady: false }));
  let turn = 0;
  let isOver = false;
  const look = async (target: Target) => {
    while (!isOver) {
      target.isReady = await isReady(target.port);
      if (!target.isReady) for (const socket of target.sockets) socket.destroy();
      await pause(PACE_MS);
    }
  };
  const server = createServer((near) => {
    const ready = targets.filter((target) => target.isReady);
    turn += 1;
    const target = ready[turn % ready.length];
    if (target === undefined) {
      near.destroy();
      return;
    }
    const far = connect(target.port, '127.0.0.1');
    for (const one of [near, far]) {
      target.sockets.add(one);
      one.on('error', () => undefined);
      one.on('close', () => {
        near.destroy();
        far.destroy();
        target.sockets.delete(one);
      });
    }
    near.pipe(far);
    far.pipe(near);
  });
  const looks = targets.map(look);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    close: async () => {
      isOver = true;
      server.close();
      for (const { sockets } of targets) for (const socket of sockets) socket.destroy();
      await Promise.all(looks);
    },
  };
}
