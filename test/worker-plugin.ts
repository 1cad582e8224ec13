// Worker threads run plain JavaScript, tests run the sources. This plugin compiles what the workers import and points
// their entries at it, so that no test depends on a build. Compiled files lie in a folder named after their content:
// never stale, and shared by runs at the same time.
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import ts from 'typescript';

const root = fileURLToPath(new URL('..', import.meta.url));
/** Inside `node_modules`, so that bare imports resolve. */
const cache = join(root, 'node_modules', '.cache', 'countersign-worker');
/** The layers that workers import. */
const LAYERS = ['domain', 'lib', 'ports', 'document', 'schema', 'store'];
/** The modules that say where a worker lies: what each exports, and the worker. */
const ENTRIES = [
  { entry: '/src/schema/worker/worker-entry.ts', name: 'WORKER_ENTRY', worker: 'schema/worker/worker.js' },
  {
    entry: '/src/store/sqlite/thread/writing-entry.ts',
    name: 'WRITING_ENTRY',
    worker: 'store/sqlite/thread/writing-worker.js',
  },
];

function sources(): { name: string; text: string }[] {
  return LAYERS.flatMap((layer) =>
    readdirSync(join(root, 'src', layer), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => ({
        name: join(layer, name),
        text: readFileSync(join(root, 'src', layer, name), 'utf8'),
      })),
  );
}

function compile(): string {
  const files = sources();
  const digest = createHash('sha256')
    .update(ts.version)
    .update(JSON.stringify(files))
    .digest('hex')
    .slice(0, 16);
  const folder = join(cache, digest);
  if (existsSync(folder)) return folder;
  mkdirSync(cache, { recursive: true });
  prune();
  const fresh = mkdtempSync(join(cache, 'tmp-'));
  writeFileSync(join(fresh, 'package.json'), '{"type":"module"}');
  const compilerOptions = {
    module: ts.ModuleKind.ESNext,
    target: ts.ScriptTarget.ES2023,
    verbatimModuleSyntax: true,
  };
  for (const { name, text } of files) {
    const output = join(fresh, name.replace(/\.ts$/, '.js'));
    mkdirSync(dirname(output), { recursive: true });
    writeFileSync(output, ts.transpileModule(text, { compilerOptions, fileName: basename(name) }).outputText);
  }
  try {
    renameSync(fresh, folder);
  } catch {
    // Another run was faster.
    rmSync(fresh, { recursive: true, force: true });
  }
  return folder;
}

/** Drops what was compiled from sources of another day. */
function prune(): void {
  for (const name of readdirSync(cache)) {
    const folder = join(cache, name);
    const age = Date.now() - (statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    if (age > 24 * 60 * 60_000) rmSync(folder, { recursive: true, force: true });
  }
}

/** The plugin, for `vitest.config.ts`. */
export function workers() {
  return {
    name: 'countersign:workers',
    enforce: 'pre' as const,
    load(this: { addWatchFile(file: string): void }, id: string): string | undefined {
      const found = ENTRIES.find(({ entry }) => id.replaceAll('\\', '/').endsWith(entry));
      if (found === undefined) return undefined;
      for (const { name } of sources()) this.addWatchFile(join(root, 'src', name));
      const url = pathToFileURL(join(compile(), found.worker)).href;
      return `export const ${found.name} = new URL(${JSON.stringify(url)});`;
    },
  };
}
