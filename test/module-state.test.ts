// Modules keep nothing: what changes has an owner that is made, handed on and given up. A cache has its bound there.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { expect, it } from 'vitest';

const SRC = path.resolve(import.meta.dirname, '../src');

/** What belongs to the process itself, and is no cache; each file says why. */
const OF_THE_PROCESS = ['runner/process/process-group.ts', 'store/sqlite/kept-statements.ts'];

/** What is empty when a module is loaded can only be there to be filled. */
const COLLECTIONS = new Set(['Map', 'Set', 'Array']);
const CACHES = new Set(['WeakMap', 'WeakSet', 'LRUCache', 'FinalizationRegistry']);

function isFilledLater(node: ts.Expression | undefined): boolean {
  if (node === undefined) return false;
  if (ts.isArrayLiteralExpression(node)) return node.elements.length === 0;
  if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression))
    return isFilledLater(node.expression.expression);
  if (!ts.isNewExpression(node)) return false;
  const name = node.expression.getText();
  return CACHES.has(name) || (COLLECTIONS.has(name) && !isGiven(node.arguments?.[0]));
}

/** What a collection is made of; the length of an array gives it nothing. */
function isGiven(argument: ts.Expression | undefined): boolean {
  return argument !== undefined && !ts.isNumericLiteral(argument) && !/^[A-Z_]+$/.test(argument.getText());
}

/** Declarations of a module that change after it is loaded: `file:line name`. */
function changing(file: string, text: string): string[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.ES2023, true);
  return source.statements.flatMap((statement) => {
    if (!ts.isVariableStatement(statement)) return [];
    const { flags, declarations } = statement.declarationList;
    const isConst = (flags & ts.NodeFlags.Const) !== 0;
    return declarations
      .filter(({ type, initializer }) => {
        if (!isConst) return true;
        const isReadonly =
          type?.getText().startsWith('Readonly') === true || type?.kind === ts.SyntaxKind.TypeOperator;
        const fixed = isReadonly || (type?.getText() ?? '').startsWith('readonly ');
        return isFilledLater(initializer) && !fixed;
      })
      .map((one) => {
        const { line } = source.getLineAndCharacterOfPosition(one.getStart());
        return `${file}:${String(line + 1)} ${one.name.getText()}`;
      });
  });
}

it('no module keeps what changes', () => {
  const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
    .map((file) => file.split(path.sep).join('/'))
    .filter((file) => file.endsWith('.ts'));
  const found = files.flatMap((file) => changing(file, readFileSync(path.join(SRC, file), 'utf8')));
  expect(found.filter((one) => !OF_THE_PROCESS.some((file) => one.startsWith(`${file}:`)))).toEqual([]);
  for (const file of OF_THE_PROCESS) expect(found.some((one) => one.startsWith(`${file}:`))).toBe(true);
});

it.each([
  'let last = 0;',
  'export var made = null;',
  'const texts = new WeakMap<object, string>();',
  'const known = new Map<string, number>();',
  'const kept: unknown[] = [];',
  'const times = new Array<number>(TIMES_KEPT).fill(0);',
  'const bounded = new LRUCache<string, string>({ max: 10 });',
])('%s is told', (text) => {
  expect(changing('a.ts', text)).toHaveLength(1);
});

it.each([
  'const NAMES = new Set(["a"]);',
  'const NONE: readonly string[] = [];',
  'const NOTHING: ReadonlyMap<string, string> = new Map();',
  'function f() { let a = 0; const b = new Map(); return [a, b]; }',
])('%s is not', (text) => {
  expect(changing('a.ts', text)).toEqual([]);
});
