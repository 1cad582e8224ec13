// Compiles src/ to dist/, and writes the `countersign` command for the processes of runs.
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { writePlainTypes } from './plain-types.mjs';

const at = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));

rmSync(at('dist'), { recursive: true, force: true });
const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc');
const { status } = spawnSync(process.execPath, [compiler, '-p', at('tsconfig.build.json')], {
  stdio: 'inherit',
});
if (status !== 0) process.exit(status ?? 1);
await writePlainTypes(at('dist'));

mkdirSync(at('dist/bin'));
writeFileSync(
  at('dist/bin/countersign'),
  '#!/bin/sh\nhere=$(dirname "$(readlink -f "$0" 2>/dev/null || echo "$0")")\nexec node "$here/../main/bin.js" "$@"\n',
);
chmodSync(at('dist/bin/countersign'), 0o755);
chmodSync(at('dist/main/bin.js'), 0o755);
