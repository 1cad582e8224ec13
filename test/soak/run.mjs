// `npm run soak`: the long tests, one after the other; `npm run soak -- crash`, `-- concurrency`, `-- load` or `-- postgres`
// for one of them. SOAK_KILLS says how many kills (100), SOAK_SECONDS how long there is load (30) or there are faults (300),
// SOAK_SEED which chances.
import { register } from 'node:module';

register('./typescript-hooks.mjs', import.meta.url);
process.setSourceMapsEnabled(true);
const parts = {
  crash: async () => (await import('./soak.ts')).soak(),
  concurrency: async () => (await import('./concurrency/concurrency.ts')).concurrency(),
  load: async () => (await import('./load/load.ts')).load(),
  postgres: async () => (await import('./postgres/postgres.ts')).postgres(),
};
const named = process.argv.slice(2);
const unknown = named.filter((name) => !Object.hasOwn(parts, name));
if (unknown.length > 0) {
  console.error(`there is no ${unknown.join(', ')}: ${Object.keys(parts).join(', ')}`);
  process.exitCode = 2;
} else {
  for (const name of named.length > 0 ? named : Object.keys(parts)) {
    process.exitCode = (await parts[name]()) || process.exitCode || 0;
  }
}
