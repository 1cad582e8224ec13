// Writes the types of the wire contract as plain interfaces: dist/ports/api/index.d.ts and components.d.ts.
// Otherwise a user's compiler would infer them from schemas, which takes it far longer than all of the user's own
// code.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import ts from 'typescript';

/** The exported declarations of the contract: names of types derived from schemas, and interfaces as written. */
function declarationsIn(folder) {
  const ofSchemas = [];
  const interfaces = [];
  for (const file of readdirSync(folder, { recursive: true })) {
    if (!file.endsWith('.d.ts') || file === 'index.d.ts' || file === 'components.d.ts') continue;
    const source = ts.createSourceFile(
      file,
      readFileSync(join(folder, file), 'utf8'),
      ts.ScriptTarget.Latest,
    );
    for (const node of source.statements) {
      const text = node.getFullText(source).trim();
      if (ts.isInterfaceDeclaration(node)) interfaces.push({ name: node.name.text, text });
      if (!ts.isTypeAliasDeclaration(node)) continue;
      if (/Static<typeof \w+>;$/.test(text)) ofSchemas.push(node.name.text);
      else interfaces.push({ name: node.name.text, text });
    }
  }
  return { ofSchemas, interfaces };
}

/** The identity of a schema: everything but its description. */
function textOf(schema) {
  return JSON.stringify({ ...schema, description: undefined });
}

class Printer {
  #names = new Map();

  /** @param named - Schemas with the names of their types. */
  constructor(named) {
    for (const [name, schema] of named) {
      const text = textOf(schema);
      if (!this.#names.has(text)) this.#names.set(text, name);
    }
  }

  /** The type of a schema, by name if it has one. */
  type(schema) {
    return this.#names.get(textOf(schema)) ?? this.form(schema);
  }

  /** The type of a schema, member by member. */
  form(schema) {
    const { type, properties, patternProperties, additionalProperties } = schema;
    if (schema.const !== undefined) return JSON.stringify(schema.const);
    if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
    const forms = schema.anyOf ?? schema.oneOf;
    if (forms !== undefined) return forms.map((one) => this.type(one)).join(' | ');
    if (type === undefined || Array.isArray(type)) return 'JsonValue';
    if (type === 'array') return `Array<${this.type(schema.items ?? {})}>`;
    if (type === 'object') {
      const values = Object.values(patternProperties ?? {})[0] ?? additionalProperties;
      if (typeof values === 'object') return `Record<string, ${this.type(values)}>`;
      if (properties === undefined) return 'JsonObject';
      if (Object.keys(properties).length === 0) return 'object';
      return this.members(schema);
    }
    return type === 'integer' ? 'number' : type;
  }

  members({ properties, required = [] }) {
    const lines = Object.entries(properties).map(([name, member]) => {
      const mark = required.includes(name) ? '' : '?';
      const key = /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name);
      return `${words(member)}${key}${mark}: ${this.type(member)};`;
    });
    return `{\n${lines.join('\n')}\n}`;
  }

  declaration(name, schema) {
    const form = this.form(schema);
    return schema.type === 'object' && form.startsWith('{')
      ? `${words(schema)}export interface ${name} ${form}`
      : `${words(schema)}export type ${name} = ${form};`;
  }
}

function words({ description }) {
  return description === undefined ? '' : `/** ${description.replaceAll('*/', '* /')} */\n`;
}

/** @param dist - Folder of the compiled program. */
export async function writePlainTypes(dist) {
  const folder = join(dist, 'ports/api');
  const api = await import(pathToFileURL(join(folder, 'index.js')).href);
  const { COMPONENTS } = await import(pathToFileURL(join(folder, 'components.js')).href);
  const { ofSchemas, interfaces } = declarationsIn(folder);
  const names = [...ofSchemas, ...interfaces.map(({ name }) => name)].filter(
    (name) => api[name] !== undefined,
  );
  const printer = new Printer(names.map((name) => [name, api[name]]));
  const head = "import type { JsonObject, JsonValue } from '../../domain/json/json.js';\n";
  const types = ofSchemas.map((name) => printer.declaration(name, api[name]));
  writeFileSync(
    join(folder, 'index.d.ts'),
    `// Made of the schemas of the wire contract by scripts/plain-types.mjs.\n${head}${[...types, ...interfaces.map(({ text }) => text)].join('\n')}\nexport {};\n`,
  );
  const used = new Set();
  const members = Object.entries(COMPONENTS).map(([name, schema]) => {
    const type = printer.type(schema);
    for (const one of names) if (new RegExp(`\\b${one}\\b`).test(type)) used.add(one);
    return `readonly ${name}: ${type};`;
  });
  writeFileSync(
    join(folder, 'components.d.ts'),
    `// Made of the schemas of the wire contract by scripts/plain-types.mjs.
${head}import type { ${[...used].join(', ')} } from './index.js';
/** The type of each schema of the OpenAPI document, by its name there: \`Components['Run']\`. */
export interface Components {\n${members.join('\n')}\n}\n`,
  );
}
