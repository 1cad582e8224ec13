// Worker threads run plain JavaScript, tests run the sources. This plugin bundles the workers, as the build does, and
// points their entries at the bundles, so that no test depends on a build. A bundle is named after its content: never
// stale, and shared by runs at the same time.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import type { Plugin } from 'vitest/config';

const root = fileURLToPath(new URL('..', import.meta.url));
/** Inside `node_modules`, so that native packages resolve. */
const cache = join(root, 'node_modules', '.cache', 'countersign-worker');
/** The modules that say where a worker lies: what each exports, and the worker. */
const ENTRIES = [
  {
    entry: '/src/schema/worker/worker-entry.ts',
    name: 'WORKER_ENTRY',
    worker: 'src/schema/worker/worker.ts',
  },
  {
    entry: '/src/store/sqlite/thread/writing-entry.ts',
    name: 'WRITING_ENTRY',
    worker: 'src/store/sqlite/thread/writing-worker.ts',
  },
];

/** @returns The file of the bundle, and the sources in it. */
async function bundle(worker: string): Promise<{ file: string; sources: string[] }> {
  const { outputFiles, metafile } = await build({
    entryPoints: [join(root, worker)],
    absWorkingDir: root,
    bundle: true,
    write: false,
    metafile: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    external: ['better-sqlite3'],
    // CommonJS packages call `require`.
    banner: {
      js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
    },
    logLevel: 'warning',
  });
  const text = outputFiles[0]?.text ?? '';
  const name = basename(worker, '.ts');
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 16);
  const file = join(cache, `${name}-${digest}.mjs`);
  if (!existsSync(file)) {
    mkdirSync(cache, { recursive: true });
    prune();
    const unfinished = `${file}.${String(process.pid)}-${String(performance.now())}`;
    writeFileSync(unfinished, text);
    renameSync(unfinished, file);
  }
  return { file, sources: Object.keys(metafile.inputs).map((path) => join(root, path)) };
}

/** Removes bundles of the sources of another day. */
function prune(): void {
  for (const name of readdirSync(cache)) {
    const path = join(cache, name);
    const age = Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    if (age > 24 * 60 * 60_000) rmSync(path, { recursive: true, force: true });
  }
}

const entryOf = (id: string) => ENTRIES.find(({ entry }) => id.replaceAll('\\', '/').endsWith(entry));

/** The plugin, for `vitest.config.ts`. */
export function workers(): Plugin {
  return {
    name: 'countersign:workers',
    enforce: 'pre',
    configureVitest({ experimental_defineCacheKeyGenerator: keyOf }) {
      // What is loaded for an entry depends on all sources of its worker.
      keyOf(({ id }) => (entryOf(id) === undefined ? undefined : false));
    },
    async load(id): Promise<string | undefined> {
      const found = entryOf(id);
      if (found === undefined) return undefined;
      const { file, sources } = await bundle(found.worker);
      for (const source of sources) this.addWatchFile(source);
      return `export const ${found.name} = new URL(${JSON.stringify(pathToFileURL(file).href)});`;
    },
  };
}
