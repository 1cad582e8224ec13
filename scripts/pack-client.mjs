// Makes the package `countersign-client`: one JavaScript file without dependencies, and the compiled declarations
// that it needs. `npm run pack:client -- <folder>` writes the tarball to a folder, by default to
// the current one.
import { spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { factsOfSchemas } from './bundle.mjs';
import { declarationsFrom } from './declarations.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const src = join(root, 'src');
const dist = join(root, 'dist');
const { version, license, engines, keywords } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

async function makePackage(folder) {
  await build({
    entryPoints: [join(src, 'client/index.ts')],
    outfile: join(folder, 'index.js'),
    bundle: true,
    platform: 'browser',
    format: 'esm',
    target: 'es2022',
    plugins: [factsOfSchemas(src)],
    legalComments: 'inline',
    logLevel: 'warning',
  });
  const { files, packages } = declarationsFrom(join(dist, 'client/index.d.ts'));
  if (packages.length > 0) throw new Error(`The client's declarations import ${packages.join(', ')}`);
  for (const file of files) {
    const to = join(folder, 'types', relative(dist, file));
    mkdirSync(dirname(to), { recursive: true });
    copyFileSync(file, to);
  }
  cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  cpSync(join(root, 'docs/client-package.md'), join(folder, 'README.md'));
  const types = './types/client/index.d.ts';
  const manifest = {
    name: 'countersign-client',
    version,
    description:
      'The client of Countersign, for programs that only call a service: no dependencies, no native code',
    keywords,
    license,
    type: 'module',
    sideEffects: false,
    engines,
    exports: { '.': { types, default: './index.js' }, './package.json': './package.json' },
    types,
    files: ['index.js', 'types'],
  };
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}

const to = resolve(process.argv[2] ?? '.');
const folder = mkdtempSync(join(tmpdir(), 'countersign-client-'));
try {
  await makePackage(folder);
  mkdirSync(to, { recursive: true });
  const { status, stdout } = spawnSync('npm', ['pack', '--silent', '--pack-destination', to], {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (status !== 0) process.exit(status ?? 1);
  console.log(join(to, stdout.trim().split('\n').at(-1) ?? ''));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
