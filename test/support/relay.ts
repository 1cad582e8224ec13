// A way to a coordinator on which it can be seen what has passed.
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export interface Relay {
  readonly url: string;
  /** Everything that callers have sent so far. */
  readonly sent: () => string;
  /** Ends all connections, and each new one at once, until it is called with `false`. */
  readonly cut: (isCut?: boolean) => void;
  close(): Promise<void>;
}

/** @param port - Where it leads to; whether anything listens there is the callers' affair. */
export async function openRelay(port: number): Promise<Relay> {
  const sockets = new Set<Socket>();
  let sent = '';
  let refuses = false;
  const server = createServer((near) => {
    if (refuses) {
      near.destroy();
      return;
    }
    const far = connect(port, '127.0.0.1');
    for (const one of [near, far]) {
      sockets.add(one);
      one.on('error', () => undefined);
      one.on('close', () => {
        near.destroy();
        far.destroy();
        sockets.delete(one);
      });
    }
    near.on('data', (chunk: Buffer) => far.write(chunk, () => (sent += chunk.toString('latin1'))));
    far.pipe(near);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    sent: () => sent,
    cut: (isCut = true) => {
      refuses = isCut;
      if (isCut) for (const one of sockets) one.destroy();
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const one of sockets) one.destroy();
      }),
  };
}
