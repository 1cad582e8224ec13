// A way to a server on which it can be seen what has passed, and which can be cut.
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export interface Relay {
  readonly url: string;
  /** Everything that callers have sent so far. */
  readonly sent: () => string;
  /** How often a caller has sent something after an answer, or first. */
  readonly turns: () => number;
  /** Ends all connections, and each new one at once, until it is called with `false`. */
  readonly cut: (isCut?: boolean) => void;
  /** Passes nothing on in either direction and ends no connection, until it is called with `false`. */
  readonly hold: (isHeld?: boolean) => void;
  close(): Promise<void>;
}

/**
 * @param port - Where it leads to; whether anything listens there is the callers' affair.
 * @param remembers - False if nobody asks for what was sent.
 */
export async function openRelay(port: number, remembers = true): Promise<Relay> {
  const sockets = new Set<Socket>();
  let sent = '';
  let turns = 0;
  let refuses = false;
  let holds = false;
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
    let answered = true;
    near.on('data', (chunk: Buffer) => {
      if (answered) turns += 1;
      answered = false;
      far.write(chunk, () => {
        if (remembers) sent += chunk.toString('latin1');
      });
    });
    far.on('data', (chunk: Buffer) => {
      answered = true;
      near.write(chunk);
    });
    near.on('end', () => far.end());
    far.on('end', () => near.end());
    if (holds) for (const one of [near, far]) one.pause();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    sent: () => sent,
    turns: () => turns,
    cut: (isCut = true) => {
      refuses = isCut;
      if (isCut) for (const one of sockets) one.destroy();
    },
    hold: (isHeld = true) => {
      holds = isHeld;
      for (const one of sockets) {
        if (isHeld) one.pause();
        else one.resume();
      }
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const one of sockets) one.destroy();
      }),
  };
}
