// Compiles src/ to dist/: the bundled program, the modules and types of `countersign/client`, the dashboard,
// and the `countersign` command for the processes of runs.
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { bundleProgram } from './bundle.mjs';
import { buildDashboard } from './dashboard.mjs';
import { declarationsFrom } from './declarations.mjs';
import { licensesOf } from './licenses.mjs';
import { writePlainTypes } from './plain-types.mjs';

const at = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
/** Takes the place of dist/ when it is whole: until then, programs start from the old one. */
const dist = at('.dist-new');
const inDist = (path) => join(dist, path);

rmSync(dist, { recursive: true, force: true });
const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc');
const { status } = spawnSync(
  process.execPath,
  [compiler, '-p', at('tsconfig.build.json'), '--outDir', dist],
  {
    stdio: 'inherit',
  },
);
if (status !== 0) process.exit(status ?? 1);
await writePlainTypes(dist);

const { bundled, written } = await bundleProgram(at('src'), dist);
removeAllBut([
  ...written,
  ...(await modulesOfClient()),
  ...declarationsFrom(inDist('client/index.d.ts')).files,
]);
const shown = await buildDashboard(at('src'), inDist('dashboard'));
writeFileSync(inDist('THIRD-PARTY-LICENSES.txt'), licensesOf([...bundled, ...shown]));

mkdirSync(inDist('bin'));
writeFileSync(
  inDist('bin/countersign'),
  '#!/bin/sh\nhere=$(dirname "$(readlink -f "$0" 2>/dev/null || echo "$0")")\nexec node "$here/../main/bin.js" "$@"\n',
);
chmodSync(inDist('bin/countersign'), 0o755);
chmodSync(inDist('main/bin.js'), 0o755);
putInPlace();

function putInPlace() {
  const [target, old] = [at('dist'), at('.dist-old')];
  rmSync(old, { recursive: true, force: true });
  if (existsSync(target)) renameSync(target, old);
  renameSync(dist, target);
  rmSync(old, { recursive: true, force: true });
}

/** The compiled modules that `countersign/client` imports. */
async function modulesOfClient() {
  const { metafile } = await build({
    entryPoints: [inDist('client/index.js')],
    bundle: true,
    packages: 'external',
    write: false,
    format: 'esm',
    metafile: true,
    absWorkingDir: at(''),
    logLevel: 'warning',
  });
  return Object.keys(metafile.inputs).map(at);
}

/** Removes every other compiled file: the bundled program contains it. */
function removeAllBut(files) {
  const kept = new Set(files);
  const below = readdirSync(dist, { recursive: true, encoding: 'utf8' }).map((name) => join(dist, name));
  for (const path of below.sort().reverse()) {
    if (!statSync(path).isDirectory()) {
      if (!kept.has(path)) rmSync(path);
    } else if (readdirSync(path).length === 0) rmdirSync(path);
  }
}
