// A port that a server can have again after it was killed.
import { createServer } from 'node:net';

/** Below the ports that the system gives to outgoing connections: none of those can sit on it meanwhile. */
const FROM = 20_000;
const TO = 32_000;

export async function freePort(): Promise<number> {
  for (;;) {
    const port = FROM + Math.floor(Math.random() * (TO - FROM));
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
