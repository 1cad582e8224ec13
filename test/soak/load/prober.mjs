// A thread that asks for /healthz all the time, so that the attacks, in another thread, do not stand in its way.
import { Agent, get } from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';

const PACE_MS = 20;
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
let longest = 0;
let since = null;

parentPort.on('message', () => {
  if (since !== null) longest = Math.max(longest, performance.now() - since);
  parentPort.postMessage(longest);
  longest = 0;
});

function probe() {
  since = performance.now();
  const over = () => {
    if (since !== null) longest = Math.max(longest, performance.now() - since);
    since = null;
    setTimeout(probe, PACE_MS);
  };
  get({ host: '127.0.0.1', port: workerData.port, path: '/healthz', agent }, (response) => {
    response.resume().on('end', over).on('error', over);
  }).on('error', () => {
    setTimeout(probe, PACE_MS);
  });
}

probe();
