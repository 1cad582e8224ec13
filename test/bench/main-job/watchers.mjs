// Watchers of a tree, in a thread of their own: what they take from the network does not delay who measures.
import { connect } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';

const { url, root, count } = workerData;

/** Settles when the service has begun to answer. */
function watch() {
  const { hostname, port, host } = new URL(url);
  const socket = connect(Number(port), hostname);
  return new Promise((resolve, reject) => {
    const watcher = { bytes: 0, close: () => socket.destroy() };
    socket.once('error', reject);
    socket.on('data', (chunk) => {
      watcher.bytes += chunk.length;
      resolve(watcher);
    });
    socket.write(`GET /stream?root_session=${root} HTTP/1.1\r\nhost: ${host}\r\n\r\n`);
  });
}

const watchers = await Promise.all(Array.from({ length: count }, watch));
parentPort.once('message', () => {
  for (const { close } of watchers) close();
  parentPort.postMessage({ leastBytes: Math.min(...watchers.map(({ bytes }) => bytes)) });
});
parentPort.postMessage('watching');
