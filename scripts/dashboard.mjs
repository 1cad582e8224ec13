// Builds the dashboard: the page, its script and its styles, all with their hash in the name except index.html.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { build } from 'vite';
import { textOfFacts } from './bundle.mjs';

/** The client reads required members and enums of the reply schemas. They do without the library of the schemas. */
const facts = (src) => {
  const id = '\0facts-of-schemas';
  return {
    name: 'facts-of-schemas',
    enforce: 'pre',
    resolveId: (source, importer) =>
      /\/ports\/api\/index\.js$/.test(source) && importer?.startsWith(join(src, 'client')) ? id : undefined,
    load: (asked) => (asked === id ? textOfFacts(src) : undefined),
  };
};

/**
 * @param src - Folder of the sources.
 * @param outDir - Folder for the built files; emptied first.
 * @returns Absolute paths of the bundled files.
 */
export async function buildDashboard(src, outDir) {
  const bundled = [];
  const remember = {
    name: 'remember',
    generateBundle() {
      bundled.push(
        ...[...this.getModuleIds()].filter((id) => id.startsWith('/')).map((id) => id.split('?')[0]),
      );
    },
  };
  await build({
    configFile: false,
    root: join(src, 'dashboard'),
    logLevel: 'warn',
    plugins: [facts(src), remember],
    esbuild: { jsx: 'automatic' },
    build: {
      outDir,
      emptyOutDir: true,
      target: 'es2022',
      modulePreload: { polyfill: false },
      // The policy of the page has no room for data: URLs.
      assetsInlineLimit: 0,
      chunkSizeWarningLimit: 1000,
      rollupOptions: {
        // Marks of code for browsers mean nothing in a bundle for browsers.
        onwarn: (warning, warn) => {
          if (warning.code !== 'MODULE_LEVEL_DIRECTIVE') warn(warning);
        },
      },
    },
  });
  compress(join(outDir, 'assets'));
  return bundled;
}

/** Smaller files gain nothing. */
const COMPRESSED_BYTES_MIN = 1024;

/** Writes each asset also as gzip and Brotli, so that the service compresses nothing. */
function compress(folder) {
  for (const name of readdirSync(folder)) {
    const content = readFileSync(join(folder, name));
    if (content.length < COMPRESSED_BYTES_MIN) continue;
    writeFileSync(join(folder, `${name}.gz`), gzipSync(content, { level: 9 }));
    writeFileSync(join(folder, `${name}.br`), brotliCompressSync(content));
  }
}
