// The packages as their users get them: what they hold, what they import, what their types cost, and that they work.
import { execFile, execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startCoordinator, type Coordinator } from '../../src/main/coordinator.js';
import { ROOT } from '../docs/markdown.js';
import { silent } from '../service/harness.js';

const SLOW = { timeout: 240_000 };
const dir = mkdtempSync(join(tmpdir(), 'countersign-package-'));
const user = join(dir, 'user');
const installed = join(user, 'node_modules/countersign-client');
const npm = (args: readonly string[], cwd: string) =>
  execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
/** Whether the build is older than what it is made of. */
function isOld(): boolean {
  const made = statSync(join(ROOT, 'dist/ports/api/components.d.ts'), { throwIfNoEntry: false })?.mtimeMs;
  const sources = ['src', 'scripts'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((name) =>
      join(ROOT, folder, name),
    ),
  );
  if (made === undefined) return true;
  // A build that was broken off has the compiler's own declarations still.
  if (!readFileSync(join(ROOT, 'dist/ports/api/components.d.ts'), 'utf8').includes('plain-types.mjs'))
    return true;
  return sources.some((path) => statSync(path).isFile() && statSync(path).mtimeMs > made);
}

let coordinator: Coordinator;

beforeAll(async () => {
  if (isOld()) npm(['run', 'build', '--silent'], ROOT);
  const printed = npm(['run', 'pack:client', '--silent', '--', dir], ROOT);
  const tarball = printed.trim().split('\n').at(-1)!;
  mkdirSync(user);
  writeFileSync(join(user, 'package.json'), '{"name":"user","private":true,"type":"module"}');
  npm(['install', '--offline', '--no-audit', '--no-fund', tarball], user);
  coordinator = await startCoordinator({
    host: '127.0.0.1',
    port: 0,
    db: join(dir, 'service.db'),
    auth: false,
    allowHosts: [],
    allowOrigins: [],
    limits: {},
    logger: silent,
  });
}, 300_000);
afterAll(async () => {
  await coordinator.close();
  rmSync(dir, { recursive: true, force: true });
});

const PROGRAM = `
import { Countersign, CountersignError, type Components, type StateEnvelope } from 'countersign-client';

const cs = new Countersign({ url: URL_OF_SERVICE });
const root: Components['SessionCreated'] = await cs.sessions.create({ session_name: 'tour', external: true });
const state: StateEnvelope = await cs.keys.open(root.session_id, { initial_state: { n: 0 } });
await cs.states.mergePatch(state.state_id, { n: 1 });
for await (const event of cs.watch(state.state_id, { since: 1 })) {
  if (event.event !== 'workflow_state_updated') continue;
  const [operation] = event.data.patch;
  const version: number = event.data.version;
  console.log(version, operation?.op, operation?.path);
  break;
}
try {
  await cs.states.get('wfstate_none');
} catch (error) {
  if (error instanceof CountersignError) console.log(error.code, error.status);
}
`;

/** Problems and cost of a user's program, as the compiler tells them. */
function compiled(program: string, options: ts.CompilerOptions) {
  const file = join(user, 'program.ts');
  writeFileSync(file, program);
  const made = ts.createProgram([file], {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    lib: ['lib.es2023.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: false,
    noEmit: true,
    types: [],
    ...options,
  });
  const faults = ts.getPreEmitDiagnostics(made);
  return {
    faults: faults.map((one) => ts.flattenDiagnosticMessageText(one.messageText, '\n')),
    instantiations: made.getInstantiationCount(),
    files: made.getSourceFiles().map(({ fileName }) => fileName),
  };
}

describe('the package countersign-client', () => {
  test('has no dependencies, and the version of the service', () => {
    const own = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
    const main = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    expect([own.version, own.dependencies, own.sideEffects]).toEqual([main.version, undefined, false]);
    expect(Object.keys(own.exports['.'])).toEqual(['types', 'default']);
    expect(existsSync(join(installed, 'README.md'))).toBe(true);
    expect(readFileSync(join(installed, 'index.js')).length).toBeLessThan(100_000);
    expect(readFileSync(join(installed, 'index.js'), 'utf8')).not.toMatch(/^import\s|\brequire\(/m);
  });

  test('is compiled with library checks at little cost', SLOW, () => {
    const program = PROGRAM.replace('URL_OF_SERVICE', "''");
    const { faults, instantiations, files } = compiled(program, {});
    expect(faults).toEqual([]);
    expect(files.filter((file) => file.includes('typebox'))).toEqual([]);
    expect(instantiations).toBeLessThan(60_000);
  });

  test('tells a wrong use from a right one', SLOW, () => {
    const { faults } = compiled(
      `import { Countersign } from 'countersign-client';
       const cs = new Countersign({ url: '' });
       await cs.sessions.create({ session_nam: 'x' });
       for await (const event of cs.watch({})) {
         if (event.event === 'run_updated') event.data.state_id;
       }`,
      {},
    );
    expect(faults).toHaveLength(2);
  });

  test('calls a service', SLOW, async () => {
    const program = PROGRAM.replace('URL_OF_SERVICE', JSON.stringify(coordinator.url));
    writeFileSync(
      join(user, 'program.mjs'),
      ts.transpileModule(program, {
        compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 },
      }).outputText,
    );
    const url = join(user, 'program.mjs');
    const { stdout } = await promisify(execFile)(process.execPath, [url]);
    expect(stdout).toBe('2 replace /n\nstate_not_found 404\n');
  });

  test('goes into a bundle for browsers', async () => {
    const { errors, outputFiles } = await build({
      stdin: {
        contents:
          "import { Countersign } from 'countersign-client'; globalThis.cs = new Countersign({ url: '/' });",
        resolveDir: user,
      },
      bundle: true,
      platform: 'browser',
      format: 'esm',
      write: false,
      logLevel: 'silent',
    });
    expect(errors).toEqual([]);
    expect(outputFiles[0]!.text).not.toMatch(/node:|require\(/);
  });
});

describe('the types of countersign/client', () => {
  test('are plain: they import no package, and cost a user little', SLOW, async () => {
    const script: string = new URL('../../scripts/declarations.mjs', import.meta.url).href;
    const { declarationsFrom } = await import(script);
    expect(declarationsFrom(join(ROOT, 'dist/client/index.d.ts')).packages).toEqual([]);
  });

  test('are those of the schemas, name by name', SLOW, () => {
    const source = readFileSync(join(ROOT, 'dist/ports/api/index.d.ts'), 'utf8');
    const names = [...source.matchAll(/^export (?:interface|type) (\w+)\b(?!<)/gm)].map(([, name]) => name!);
    expect(names.length).toBeGreaterThan(80);
    const named = readFileSync(join(ROOT, 'dist/ports/api/components.d.ts'), 'utf8');
    const components = [...named.matchAll(/^readonly (\w+):/gm)].map(([, name]) => name!);
    const file = join(ROOT, 'test', 'package', 'same-types.generated.ts');
    writeFileSync(
      file,
      `import type * as plain from '../../dist/ports/api/index.js';
       import type { Components as Plain } from '../../dist/ports/api/components.js';
       import type * as made from '../../src/ports/api/index.js';
       import type { Components } from '../../src/ports/api/components.js';
       type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;
       ${names.map((name) => `export const ${name}: Same<plain.${name}, made.${name}> = true;`).join('\n')}
       ${components.map((name) => `export const of${name}: Same<Plain['${name}'], Components['${name}']> = true;`).join('\n')}`,
    );
    try {
      const { options } = ts.parseJsonConfigFileContent(
        ts.readConfigFile(join(ROOT, 'tsconfig.json'), (path) => ts.sys.readFile(path)).config,
        ts.sys,
        ROOT,
      );
      const program = ts.createProgram([file], options);
      const found = program.getSemanticDiagnostics(program.getSourceFile(file));
      const text = readFileSync(file, 'utf8');
      const lineOf = (start = 0) => text.slice(start).split('\n')[0];
      expect(found.map(({ messageText, start }) => [lineOf(start), messageText])).toEqual([]);
    } finally {
      rmSync(file, { force: true });
    }
  });
});

describe('the package countersign', () => {
  test('holds the program and what it needs, and names its entries', SLOW, () => {
    const [made] = JSON.parse(npm(['pack', '--dry-run', '--json', '--ignore-scripts'], ROOT));
    const paths: string[] = made.files.map(({ path }: { path: string }) => path);
    const main = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    for (const path of ['LICENSE', 'README.md', main.bin.countersign, 'dist/client/index.d.ts'])
      expect(paths).toContain(path);
    expect(paths.some((path) => /^(src|test|scripts|node_modules)\//.test(path))).toBe(false);
    expect(paths.some((path) => path.startsWith('drizzle/'))).toBe(true);
    expect(Object.keys(main.exports['./client'])).toEqual(['types', 'default']);
    expect(main.sideEffects).toBe(false);
  });
});
