// The location of the worker's program: next to this file after compilation. A separate file, because tests
// run the sources and replace it with a bundle of the worker (`test/worker-plugin.ts`).

/** The module that a worker thread starts with. */
export const WORKER_ENTRY = new URL('./worker.js', import.meta.url);
