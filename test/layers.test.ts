// The layers of src: imports point one way, each layer has its own packages, modules form no cycle, files stay small.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '..');
const SRC = path.join(ROOT, 'src');
const FILE_LINES_MAX = 300;

interface Import {
  /** `src/layer/file.ts:line`, for the report. */
  readonly at: string;
  readonly from: string;
  /** A file under src, or the name of a package. */
  readonly to: string;
  readonly isPackage: boolean;
  readonly typeOnly: boolean;
}

interface Layer {
  /** A layer imports from layers of a lower rank only. */
  readonly rank: number;
  /** Lower layers that it uses; all of them where absent. */
  readonly uses?: readonly string[];
  /** Single files of other layers that it uses. */
  readonly files?: readonly string[];
  /** Packages, by name or as `node:…`; where absent, any package that has no owner. */
  readonly packages?: readonly string[];
}

const LAYERS: Readonly<Record<string, Layer>> = {
  domain: { rank: 0, packages: ['node:crypto'] },
  'agent-clients': {
    rank: 1,
    packages: ['jsonc-parser', 'node:crypto', 'node:path', 'node:util', 'smol-toml'],
  },
  lib: { rank: 1, uses: ['domain'], packages: ['lru-cache'] },
  ports: { rank: 2, packages: ['typebox'] },
  document: { rank: 3 },
  schema: { rank: 4 },
  store: { rank: 4, uses: ['domain', 'lib', 'ports'] },
  client: { rank: 5, uses: ['domain', 'lib', 'ports'] },
  service: { rank: 5 },
  cli: { rank: 6, uses: ['domain', 'lib', 'agent-clients', 'ports', 'client'] },
  runner: { rank: 6, uses: ['domain', 'lib', 'agent-clients', 'ports', 'client'] },
  http: { rank: 6, uses: ['domain', 'lib', 'agent-clients', 'ports'] },
  mcp: { rank: 6, uses: ['domain', 'lib', 'agent-clients', 'ports'] },
  demo: {
    rank: 6,
    uses: ['domain', 'lib', 'ports', 'client'],
    files: ['cli/text/table.ts', 'cli/text/terminal-text.ts'],
  },
  // A browser program: whatever it knows of the service it has from the client. Patterns of schemas need their engine.
  dashboard: { rank: 6, uses: ['client'], files: ['schema/patterns/pattern.ts'] },
  main: { rank: 7 },
};

/** Packages that only one layer imports. */
const OWNERS: Readonly<Record<string, string>> = {
  react: 'dashboard',
  'react-dom': 'dashboard',
  'react-diff-view': 'dashboard',
  '@headless-tree/core': 'dashboard',
  '@headless-tree/react': 'dashboard',
  '@tanstack/react-query': 'dashboard',
  '@tanstack/react-router': 'dashboard',
  '@tanstack/react-virtual': 'dashboard',
  ajv: 'schema',
  'ajv-formats': 'schema',
  re2js: 'schema',
  'fast-json-patch': 'document',
  canonicalize: 'document',
  'drizzle-orm': 'store',
  'better-sqlite3': 'store',
  pg: 'store',
};

/** HTTP validates requests against the product's own schemas; users' schemas stay in schema/. */
const ALSO_IMPORTS: Readonly<Record<string, readonly string[]>> = {
  'http/requests/validation/validate.ts': ['ajv', 'ajv-formats'],
  'http/requests/validation/violations.ts': ['ajv'],
};

/** What is not pure, or not synchronous. */
const IMPURE_NAMES = new Set([
  'process',
  'Promise',
  'setTimeout',
  'setInterval',
  'setImmediate',
  'fetch',
  'performance',
]);
const IMPURE_MEMBERS = new Set(['Date.now', 'Math.random', 'crypto.randomUUID', 'crypto.randomBytes']);

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .map((file) => file.split(path.sep).join('/'))
  .filter((file) => /\.tsx?$/.test(file))
  .sort();

const sources = new Map(
  files.map((file) => [
    file,
    ts.createSourceFile(file, readFileSync(path.join(SRC, file), 'utf8'), ts.ScriptTarget.ES2023, true),
  ]),
);

const imports = files.flatMap((file) => importsOf(file));

function layerOf(file: string): string {
  return file.split('/')[0]!;
}

function placeOf(node: ts.Node): string {
  const source = node.getSourceFile();
  return `src/${source.fileName}:${source.getLineAndCharacterOfPosition(node.getStart()).line + 1}`;
}

function importsOf(file: string): Import[] {
  const found: Import[] = [];
  const add = (node: ts.Node, specifier: string, typeOnly: boolean) => {
    const isPackage = !specifier.startsWith('.');
    const to = isPackage ? packageOf(specifier) : resolve(file, specifier);
    found.push({ at: placeOf(node), from: file, to, isPackage, typeOnly });
  };
  walk(sources.get(file)!, (node) => {
    if (ts.isImportDeclaration(node)) add(node, textOf(node.moduleSpecifier), isTypeOnly(node.importClause));
    else if (ts.isExportDeclaration(node) && node.moduleSpecifier !== undefined)
      add(node, textOf(node.moduleSpecifier), node.isTypeOnly);
    else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument))
      add(node, textOf(node.argument.literal), true);
    else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
      add(node, textOf(node.arguments[0]!), false);
  });
  return found;
}

function isTypeOnly(clause: ts.ImportClause | undefined): boolean {
  if (clause === undefined) return false;
  if (clause.phaseModifier === ts.SyntaxKind.TypeKeyword) return true;
  const { namedBindings } = clause;
  return (
    clause.name === undefined &&
    namedBindings !== undefined &&
    ts.isNamedImports(namedBindings) &&
    namedBindings.elements.every((one) => one.isTypeOnly)
  );
}

function walk(node: ts.Node, visit: (node: ts.Node) => void): void {
  visit(node);
  ts.forEachChild(node, (child) => walk(child, visit));
}

function textOf(node: ts.Node): string {
  return ts.isStringLiteralLike(node) ? node.text : node.getText();
}

function packageOf(specifier: string): string {
  if (specifier.startsWith('node:')) return specifier;
  const parts = specifier.split('/');
  return specifier.startsWith('@') ? parts.slice(0, 2).join('/') : parts[0]!;
}

/** `.js` of the output stands for `.ts` or `.tsx` of the source. */
function resolve(file: string, specifier: string): string {
  const target = path.posix.join(path.posix.dirname(file), specifier).replace(/\.js$/, '.ts');
  return sources.has(target) || !sources.has(`${target}x`) ? target : `${target}x`;
}

function wrongDirection({ from, to, isPackage }: Import): string | null {
  const layer = layerOf(from);
  const rules = LAYERS[layer];
  if (rules === undefined) return `the layer ${layer} is not in LAYERS`;
  if (isPackage) {
    const owner = OWNERS[to];
    if (ALSO_IMPORTS[from]?.includes(to) === true) return null;
    if (owner !== undefined && owner !== layer) return `only ${owner}/ imports ${to}`;
    return rules.packages === undefined || rules.packages.includes(to)
      ? null
      : `${layer}/ does not import ${to}`;
  }
  const target = layerOf(to);
  if (target === layer || rules.files?.includes(to) === true) return null;
  const lower = (LAYERS[target]?.rank ?? Infinity) < rules.rank;
  return lower && (rules.uses?.includes(target) ?? true) ? null : `${layer}/ may not import ${target}/`;
}

/** Every way back to where it began, each once. */
function cycles(edges: ReadonlyMap<string, readonly string[]>): string[] {
  const state = new Map<string, 'open' | 'done'>();
  const trail: string[] = [];
  const found: string[] = [];
  const visit = (file: string) => {
    if (state.get(file) === 'done') return;
    if (state.get(file) === 'open') {
      found.push([...trail.slice(trail.indexOf(file)), file].join(' -> '));
      return;
    }
    state.set(file, 'open');
    trail.push(file);
    for (const next of edges.get(file) ?? []) visit(next);
    trail.pop();
    state.set(file, 'done');
  };
  for (const file of edges.keys()) visit(file);
  return found;
}

/** The imports between the modules of a layer, those of types too. A module is a folder of the layer, or a file beside them. */
function moduleEdges(layer: string): Map<string, string[]> {
  const edges = new Map<string, string[]>();
  for (const { from, to, isPackage } of imports) {
    if (isPackage || layerOf(from) !== layer || layerOf(to) !== layer) continue;
    const [module, other] = [moduleOf(from), moduleOf(to)];
    if (module === other) continue;
    edges.set(module, [...(edges.get(module) ?? []), other]);
  }
  return edges;
}

function moduleOf(file: string): string {
  return file.split('/').slice(0, 2).join('/');
}

function impurityOf(node: ts.Node): string | null {
  if (ts.isAwaitExpression(node)) return 'await';
  if (ts.isForOfStatement(node) && node.awaitModifier !== undefined) return 'for await';
  if (
    ts.canHaveModifiers(node) &&
    ts.getModifiers(node)?.some((one) => one.kind === ts.SyntaxKind.AsyncKeyword) === true
  )
    return 'async';
  if (ts.isPropertyAccessExpression(node) && IMPURE_MEMBERS.has(node.getText())) return node.getText();
  if (ts.isNewExpression(node) && node.expression.getText() === 'Date' && (node.arguments?.length ?? 0) === 0)
    return 'new Date()';
  if (!ts.isIdentifier(node) || !IMPURE_NAMES.has(node.text)) return null;
  const named = ts.isPropertyAccessExpression(node.parent) && node.parent.name === node;
  return named ? null : node.text;
}

/** Names that a file exports as values. */
function exportsThen(source: ts.SourceFile): ts.Node | null {
  let found: ts.Node | null = null;
  for (const statement of source.statements) {
    const exported =
      ts.canHaveModifiers(statement) &&
      ts.getModifiers(statement)?.some((one) => one.kind === ts.SyntaxKind.ExportKeyword) === true;
    if (exported && ts.isFunctionDeclaration(statement) && statement.name?.text === 'then') found = statement;
    if (exported && ts.isVariableStatement(statement)) {
      const named = statement.declarationList.declarations.find((one) => one.name.getText() === 'then');
      if (named !== undefined) found = named;
    }
    if (ts.isExportDeclaration(statement) && !statement.isTypeOnly && statement.exportClause !== undefined) {
      const clause = statement.exportClause;
      const names = ts.isNamedExports(clause) ? clause.elements : [clause];
      found = names.find((one) => one.name.text === 'then') ?? found;
    }
  }
  return found;
}

describe('the layers of src', () => {
  it('is about the files of src', () => {
    expect(files.length).toBeGreaterThan(100);
    expect(
      imports.filter((one) => !one.isPackage && !sources.has(one.to)).map((one) => `${one.at} ${one.to}`),
    ).toEqual([]);
  });

  it('lets imports point to lower layers only', () => {
    const wrong = imports.flatMap((one) => {
      const why = wrongDirection(one);
      return why === null ? [] : [`${one.at} imports ${one.to}: ${why}`];
    });
    expect(wrong).toEqual([]);
  });

  it('lets ports take only types from the domain', () => {
    const wrong = imports.filter(
      (one) =>
        layerOf(one.from) === 'ports' && !one.isPackage && layerOf(one.to) === 'domain' && !one.typeOnly,
    );
    expect(wrong.map((one) => one.at)).toEqual([]);
  });

  it('has no circular imports, of types neither', () => {
    const edges = new Map(
      files.map((file) => [
        file,
        imports.filter((one) => one.from === file && !one.isPackage).map((one) => one.to),
      ]),
    );
    expect(cycles(edges)).toEqual([]);
  });

  it.each(Object.keys(LAYERS))('has no circular imports between the modules of %s', (layer) => {
    expect(cycles(moduleEdges(layer))).toEqual([]);
  });

  it('keeps the domain and what is known of agent CLIs pure and synchronous', () => {
    const wrong: string[] = [];
    /** A definition imports its settings when they are needed. */
    const onDemand = (file: string, what: string) =>
      what === 'Promise' && file.endsWith('agent-clients/client.ts');
    for (const [file, source] of sources) {
      if (!['domain', 'agent-clients'].includes(layerOf(file))) continue;
      walk(source, (node) => {
        const what = impurityOf(node);
        if (what !== null && !onDemand(file, what)) wrong.push(`${placeOf(node)} ${what}`);
      });
    }
    expect(wrong).toEqual([]);
  });

  it('settles in one place', () => {
    const settling = imports.filter((one) => one.to === 'domain/decisions/settle.ts').map(({ from }) => from);
    const deciding = files.filter((file) => sources.get(file)!.text.includes('new UnitOfWork('));
    expect([settling, deciding]).toEqual([['domain/decisions/decide.ts'], ['domain/decisions/decide.ts']]);
  });

  it('changes a status beside its transition table, and nowhere else', () => {
    const found: string[] = [];
    for (const [file, source] of sources) {
      if (layerOf(file) !== 'domain') continue;
      walk(source, (node) => {
        if (!ts.isObjectLiteralExpression(node)) return;
        const [first] = node.properties;
        const isAssigned =
          ts.isCallExpression(node.parent) && node.parent.expression.getText() === 'Object.assign';
        const copies = isAssigned || (first !== undefined && ts.isSpreadAssignment(first));
        const sets = node.properties.some((one) => one.name?.getText() === 'status');
        if (copies && sets) found.push(file);
      });
    }
    expect([...new Set(found)]).toEqual([
      'domain/lifecycle/callback.ts',
      'domain/lifecycle/completion.ts',
      'domain/lifecycle/run.ts',
      'domain/lifecycle/session.ts',
      'domain/lifecycle/webhook.ts',
    ]);
  });

  it('has no module that is taken for a promise', () => {
    const wrong = [...sources.values()].map(exportsThen).filter((one) => one !== null);
    expect(wrong.map(placeOf)).toEqual([]);
  });

  it('keeps files short', () => {
    const long = [...sources].flatMap(([file, source]) => {
      const { line, character } = source.getLineAndCharacterOfPosition(source.end);
      const lines = character === 0 ? line : line + 1;
      return lines > FILE_LINES_MAX ? [`src/${file}: ${lines} lines`] : [];
    });
    expect(long).toEqual([]);
  });
});
