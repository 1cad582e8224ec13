// Writes the examples of the OpenAPI document from what a running service has answered: one file for each tag.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import type { JsonObject } from '../../../src/domain/json/json.js';
import type { Example } from '../../../src/http/openapi/examples/index.js';
import { OPERATIONS, type Operation } from './conformity.js';
import { sourceOf } from './source-of.js';

const FOLDER = join(import.meta.dirname, '../../../src/http/openapi/examples');
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;

/** As examples show it: with the names of the examples, one time, and no secret. */
function shown(example: Example, bound: ReadonlyMap<string, string>): JsonObject {
  let text = JSON.stringify(example);
  for (const [name, real] of bound) text = text.replaceAll(real, name);
  const replaced = text
    .replaceAll(TIME, '2026-01-01T12:00:00.000Z')
    .replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, 'http://127.0.0.1:4717')
    .replaceAll(/whsec_[A-Za-z0-9+/=]+/g, 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD');
  return JSON.parse(replaced) as JsonObject;
}

/** What a file is named after: the tag, or for sessions what they report and complete, which would make it too long. */
function groupOf({ path, spec }: Operation): string {
  const tag = String(spec.tags[0]);
  return tag === 'Sessions' && /completion|callbacks|result|events/.test(path) ? 'Completions' : tag;
}

export async function record(made: Readonly<Record<string, Example>>, bound: ReadonlyMap<string, string>) {
  const tags = [...new Set(OPERATIONS.map(groupOf))];
  const options = { ...(await resolveConfig(join(FOLDER, 'index.ts'))), parser: 'typescript' };
  const files: string[] = [];
  for (const tag of tags) {
    const own = OPERATIONS.filter((one) => groupOf(one) === tag && made[one.id] !== undefined);
    if (own.length === 0) continue;
    const { constants, source } = sourceOf(
      Object.fromEntries(own.map(({ id }) => [id, shown(made[id]!, bound)])),
      tag.replace(/s$/, ''),
    );
    files.push(tag);
    const text = `// Examples of the operations on ${tag.toLowerCase()}. Recorded: see index.ts.
import type { Examples } from './example.js';

${constants}export const ${tag.toUpperCase()}: Examples = ${source};
`;
    writeFileSync(join(FOLDER, `${tag.toLowerCase()}.ts`), await format(text, options));
  }
  const imports = files.map((tag) => `import { ${tag.toUpperCase()} } from './${tag.toLowerCase()}.js';`);
  const index = `// One example of each operation. test/http/openapi/examples.test.ts sends them to a running service; with \`RECORD=1\` it
// writes them anew.
import type { Examples } from './example.js';
${imports.sort().join('\n')}

export type { Example } from './example.js';

export const EXAMPLES: Examples = {${files.map((tag) => `...${tag.toUpperCase()}`).join(',')}};
`;
  writeFileSync(join(FOLDER, 'index.ts'), await format(index, options));
}
