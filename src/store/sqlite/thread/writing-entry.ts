// Where the program of the writing thread lies: next to this file once compiled. A file of its own, since tests, which run
// the sources, put the freshly compiled one in its place (`test/worker-plugin.ts`).

/** The module that the thread is started with. */
export const WRITING_ENTRY = new URL('./writing-worker.js', import.meta.url);
