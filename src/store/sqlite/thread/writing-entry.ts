// The location of the writing thread's program: next to this file after compilation. A separate file, because
// tests run the sources and replace it with a bundle of it (`test/worker-plugin.ts`).

/** The module that the thread starts with. */
export const WRITING_ENTRY = new URL('./writing-worker.js', import.meta.url);
