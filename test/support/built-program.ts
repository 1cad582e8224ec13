// The program as users run it, compiled from the sources as they are now: no test depends on a `dist/` of another day.
// It is bundled as scripts/build.mjs does it. `test/package` tests the package as it is published.
// Builds lie in folders named after their content: never stale, and shared by tests that run at the same time.
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { version } from 'esbuild';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** Inside `node_modules`, so that bare imports resolve. */
const cache = join(root, 'node_modules', '.cache', 'countersign-program');
/** What the program finds beside `dist/`. */
const BESIDE = ['package.json', 'drizzle', 'schemas'];
/** The same command that scripts/build.mjs puts there, for the processes of runs. */
const COMMAND =
  '#!/bin/sh\nhere=$(dirname "$(readlink -f "$0" 2>/dev/null || echo "$0")")\nexec node "$here/../main/bin.js" "$@"\n';
const AGE_MS_MAX = 24 * 60 * 60_000;

let built: Promise<string> | undefined;

/** @returns Absolute path of the built `main/bin.js`, to be run with `process.execPath`. */
export function builtProgram(): Promise<string> {
  return (built ??= compile());
}

async function compile(): Promise<string> {
  const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts'))
    .sort();
  const hash = createHash('sha256').update(version).update(COMMAND);
  for (const path of ['package-lock.json', 'scripts/bundle.mjs', 'test/support/built-program.ts'])
    hash.update(readFileSync(join(root, path)));
  for (const name of sources) hash.update(name).update(readFileSync(join(root, 'src', name)));
  const folder = join(cache, hash.digest('hex').slice(0, 16));
  if (!existsSync(folder)) await compileInto(folder);
  return join(folder, 'dist', 'main', 'bin.js');
}

async function compileInto(folder: string): Promise<void> {
  mkdirSync(cache, { recursive: true });
  prune();
  const fresh = mkdtempSync(join(cache, 'tmp-'));
  for (const name of BESIDE) symlinkSync(join(root, name), join(fresh, name));
  const script: string = new URL('../../scripts/bundle.mjs', import.meta.url).href;
  const { bundleProgram } = await import(script);
  await bundleProgram(join(root, 'src'), join(fresh, 'dist'));
  const command = join(fresh, 'dist', 'bin', 'countersign');
  mkdirSync(join(fresh, 'dist', 'bin'), { recursive: true });
  writeFileSync(command, COMMAND);
  chmodSync(command, 0o755);
  try {
    renameSync(fresh, folder);
  } catch {
    // Another test was faster.
    rmSync(fresh, { recursive: true, force: true });
  }
}

/** Drops what was compiled from sources of another day. */
function prune(): void {
  for (const name of readdirSync(cache)) {
    const made = statSync(join(cache, name), { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
    if (Date.now() - made > AGE_MS_MAX) rmSync(join(cache, name), { recursive: true, force: true });
  }
}
