// Bundles the program: few files load faster than several hundred, and every command starts with loading them.
import { readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { build } from 'esbuild';

/** Modules of the whole program that are started or imported by their path. */
const ENTRIES = [
  'main/whole-program',
  'demo/agents/agent',
  'demo/workflow/agent',
  'schema/worker/worker',
  'store/sqlite/thread/writing-worker',
];
/** As deep as `main/`, so that relative paths of a module stay right (see `ownUrls`). */
const CHUNKS = 'chunks';

/** A module in a chunk resolves `import.meta.url` as if it stood alone. */
const ownUrls = (src) => ({
  name: 'own-urls',
  setup: ({ onLoad }) => {
    onLoad({ filter: /[/\\]src[/\\].*\.ts$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8');
      if (!text.includes('import.meta.url')) return undefined;
      const file = relative(src, path).replaceAll('\\', '/').replace(/\.ts$/, '.js');
      const url = `new URL(${JSON.stringify(`../${file}`)}, import.meta.url)`;
      return { contents: text.replaceAll('import.meta.url', url), loader: 'ts' };
    });
  },
});

/**
 * Gives the client and the commands what they read of the reply schemas, required members and enums, without the
 * schemas: the library of the schemas takes longer to load than a command to run.
 *
 * @param src - Folder of the sources.
 */
export function factsOfSchemas(src) {
  const namespace = 'facts-of-schemas';
  const readers = ['client', 'cli'].map((layer) => join(src, layer));
  return {
    name: namespace,
    setup: ({ onResolve, onLoad }) => {
      onResolve({ filter: /\/ports\/api\/index\.js$/ }, ({ importer }) =>
        readers.some((folder) => importer.startsWith(folder)) ? { path: 'api', namespace } : undefined,
      );
      onLoad({ filter: /^api$/, namespace }, async () => ({ contents: await textOfFacts(src) }));
    },
  };
}

/** Leaves out the settings of the clients: `connect` loads them, and no hook does. */
const withoutSettings = {
  name: 'without-settings',
  setup: ({ onLoad }) =>
    onLoad({ filter: /[/\\]agent-clients[/\\][a-z-]+[/\\]settings\.ts$/ }, () => ({
      contents: "throw new Error('The settings are not part of this program');",
    })),
};

/** The module that stands for the reply schemas. */
export async function textOfFacts(src) {
  return Object.entries(await contractOf(src))
    .map(([name, value]) =>
      name === 'PageOf'
        ? `export const PageOf = () => (${JSON.stringify({ required: value({}).required })});`
        : `export const ${name} = ${JSON.stringify({ required: value?.required ?? [], enum: value?.enum })};`,
    )
    .join('\n');
}

/** The exports of the wire contract. */
async function contractOf(src) {
  const { outputFiles } = await build({
    entryPoints: [join(src, 'ports/api/index.ts')],
    bundle: true,
    write: false,
    format: 'esm',
    logLevel: 'warning',
  });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`);
}

/** The build of `jsonc-parser` for Node loads its files by computed names; the one for bundlers has no default export. */
const jsonc = {
  name: 'jsonc',
  setup: ({ onResolve, onLoad }) => {
    const namespace = 'jsonc';
    onResolve({ filter: /^jsonc-parser$/ }, ({ path, resolveDir }) => ({
      path,
      namespace,
      pluginData: resolveDir,
    }));
    onLoad({ filter: /^jsonc-parser$/, namespace }, ({ pluginData: resolveDir }) => ({
      contents: "import * as jsonc from 'jsonc-parser/lib/esm/main.js'; export default jsonc;",
      resolveDir,
    }));
  },
};

/** The entry point as CommonJS: it requires the small programs, and imports the whole one, which is made of ES modules. */
const entryPoint = {
  name: 'entry-point',
  setup: ({ onLoad, onResolve }) => {
    onLoad({ filter: /[/\\]main[/\\]bin\.ts$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replaceAll(
        /import\((?='\.\/(?:hook|client)-program)/g,
        'require(',
      ),
      loader: 'ts',
    }));
    onResolve({ filter: /-program\.js$/ }, ({ path }) => ({
      path: path === './whole-program.js' ? `../${CHUNKS}/whole-program.js` : path,
      external: true,
    }));
  },
};

/**
 * Makes four programs: `main/bin.js` loads `main/hook-program.js`, one file with what hooks need,
 * `main/client-program.js`, one file with what client commands need, or `chunks/whole-program.js`, whose parts are
 * loaded when they are needed. The files of `main/` are CommonJS without white space: Node starts them sooner, and an
 * agent waits for them before every tool call.
 *
 * @param src - Folder of the sources.
 * @param dist - Folder for the program.
 * @returns The files that were bundled, and those that were written; absolute paths.
 */
export async function bundleProgram(src, dist) {
  const at = (name) => join(src, `${name}.ts`);
  const common = {
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    outdir: dist,
    outbase: src,
    logLevel: 'warning',
    metafile: true,
    absWorkingDir: src,
  };
  const small = {
    ...common,
    format: 'cjs',
    minifyWhitespace: true,
    minifySyntax: true,
    define: { 'import.meta.url': 'ownUrl' },
    banner: { js: "const ownUrl = require('node:url').pathToFileURL(__filename).href;" },
  };
  const packages = [factsOfSchemas(src), jsonc];
  const results = await Promise.all([
    build({ ...small, entryPoints: [at('main/bin')], plugins: [entryPoint] }),
    build({ ...small, entryPoints: [at('main/hook-program')], plugins: [withoutSettings, ...packages] }),
    build({ ...small, entryPoints: [at('main/client-program')], plugins: packages }),
    build({
      ...common,
      entryPoints: ENTRIES.map((name) => ({ in: at(name), out: name.replace(/^main/, CHUNKS) })),
      splitting: true,
      chunkNames: `${CHUNKS}/[name]-[hash]`,
      // Native code has to be loaded from where it is installed.
      external: ['better-sqlite3'],
      plugins: [ownUrls(src), ...packages],
      // CommonJS packages call `require`.
      banner: {
        js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
      },
    }),
  ]);
  const type = join(dist, 'main/package.json');
  writeFileSync(type, '{ "type": "commonjs" }\n');
  const paths = (member) =>
    results.flatMap(({ metafile }) => Object.keys(metafile[member]).map((path) => join(src, path)));
  return { bundled: [...new Set(paths('inputs'))], written: [type, ...paths('outputs')] };
}
