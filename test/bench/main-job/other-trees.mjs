// Cycles of other trees beside what is measured, as a program: `node other-trees.mjs URL CYCLES_PER_SECOND`. A process of its
// own, so that what is measured does not wait for it. Ends with its standard input, and then says how many it made a second.
import { coordinatorAt } from '../coordinator.mjs';
import { newTree, prepareTrees, runCycles } from './cycle.mjs';

const TREES = 40;
const CALLERS = 16;

const [url, perSecond] = process.argv.slice(2);
const service = coordinatorAt(url);
await prepareTrees(service);
const trees = await Promise.all(Array.from({ length: TREES }, () => newTree(service)));
const paceMs = (1000 * CALLERS) / Number(perSecond);
let over = false;
process.stdin.on('end', () => (over = true)).resume();

let cycles = 0;
const from = performance.now();
process.stdout.write('ready\n');
await Promise.all(
  Array.from({ length: CALLERS }, async (_, caller) => {
    // Not all at once.
    await new Promise((resolve) => setTimeout(resolve, (caller * paceMs) / CALLERS));
    while (!over) {
      const some = Array.from({ length: 10 }, (_one, i) => trees[(caller + i * CALLERS) % TREES]);
      await runCycles(service, some, { callers: 1, paceMs, pull: false });
      cycles += some.length;
    }
  }),
);
process.stdout.write(`${String((cycles / (performance.now() - from)) * 1000)}\n`);
