// Where the worker's program lies: next to this file once compiled. A file of its own, since tests, which run the
// sources, put the freshly compiled worker in its place (`test/worker-plugin.ts`).

/** The module that a worker thread is started with. */
export const WORKER_ENTRY = new URL('./worker.js', import.meta.url);
