// The program as users run it, compiled from the sources as they are now: no test depends on a `dist/` of another day.
// It is bundled as scripts/build.mjs does it. `test/package` tests the package as it is published.
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { version } from 'esbuild';
import { builtOnce, ROOT } from './built-once.js';

/** What the program finds beside `dist/`. */
const BESIDE = ['package.json', 'drizzle', 'schemas'];
/** The same command that scripts/build.mjs puts there, for the processes of runs. */
const COMMAND =
  '#!/bin/sh\nhere=$(dirname "$(readlink -f "$0" 2>/dev/null || echo "$0")")\nexec node "$here/../main/bin.js" "$@"\n';

let built: Promise<string> | undefined;

/** @returns Absolute path of the built `main/bin.js`, to be run with `process.execPath`. */
export function builtProgram(): Promise<string> {
  return (built ??= compile());
}

async function compile(): Promise<string> {
  const folder = await builtOnce({
    name: 'countersign-program',
    scripts: ['scripts/bundle.mjs', 'test/support/built-program.ts'],
    text: version,
    isSource: (name) => name.endsWith('.ts') && !name.endsWith('.d.ts'),
    into: compileInto,
  });
  return join(folder, 'dist', 'main', 'bin.js');
}

async function compileInto(folder: string): Promise<void> {
  for (const name of BESIDE) symlinkSync(join(ROOT, name), join(folder, name));
  const script: string = new URL('../../scripts/bundle.mjs', import.meta.url).href;
  const { bundleProgram } = await import(script);
  await bundleProgram(join(ROOT, 'src'), join(folder, 'dist'));
  const command = join(folder, 'dist', 'bin', 'countersign');
  mkdirSync(join(folder, 'dist', 'bin'), { recursive: true });
  writeFileSync(command, COMMAND);
  chmodSync(command, 0o755);
}
