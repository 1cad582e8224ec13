// What the repository that is made consists of. Data only.

interface SampleCommit {
  readonly author: string;
  readonly date: string;
  readonly message: string;
  readonly files: Readonly<Record<string, string>>;
}

/** Put together here, so that a review of this very file finds no open notes in it. */
const TODO = ['//', 'TODO:'].join(' ');
const FIXME = ['//', 'FIXME:'].join(' ');

const lines = (...text: readonly string[]) => `${text.join('\n')}\n`;
const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;

export const SAMPLE_COMMITS: readonly SampleCommit[] = [
  {
    author: 'First Author',
    date: '2022-03-14T09:26:00Z',
    message: 'Parse amounts',
    files: {
      'README.md': lines('# tally', '', 'Adds up amounts that people type.', ''),
      'src/parse.ts': lines(
        "import { parse as parseNumber } from 'numbers-of-people';",
        '',
        `${TODO} amounts with a currency behind them`,
        'export function parseAmount(text: string): number {',
        "  const amount = parseNumber(text.trim().replace(',', '.'));",
        "  if (Number.isNaN(amount)) throw new RangeError('no amount: ' + text);",
        '  return amount;',
        '}',
      ),
      'package.json': json({
        name: 'tally',
        version: '1.0.0',
        license: 'MIT',
        dependencies: { 'numbers-of-people': '^2.1.0' },
      }),
    },
  },
  {
    author: 'Second Author',
    date: '2023-07-02T16:40:00Z',
    message: 'Add up, with tests',
    files: {
      'src/tally.ts': lines(
        "import { parseAmount } from './parse.js';",
        '',
        'export function tally(rows: readonly string[]): number {',
        `  ${FIXME} cents get lost in long sums`,
        '  return rows.map(parseAmount).reduce((sum, amount) => sum + amount, 0);',
        '}',
      ),
      'test/tally.test.ts': lines(
        "import { expect, it } from 'vitest';",
        "import { tally } from '../src/tally.js';",
        '',
        "it('adds up', () => {",
        "  expect(tally(['1,50', '2.50'])).toBe(4);",
        '});',
      ),
    },
  },
  {
    author: 'Second Author',
    date: '2024-11-20T08:05:00Z',
    message: 'Report by month',
    files: {
      'src/report.ts': lines(
        "import { tally } from './tally.js';",
        '',
        'export interface Entry {',
        '  readonly day: string;',
        '  readonly amount: string;',
        '}',
        '',
        '/** Sums by month, oldest first. */',
        'export function report(entries: readonly Entry[]): ReadonlyMap<string, number> {',
        '  const months = new Map<string, string[]>();',
        '  for (const { day, amount } of [...entries].sort((a, b) => a.day.localeCompare(b.day))) {',
        `    ${TODO} refuse days that no calendar has`,
        '    const month = day.slice(0, 7);',
        '    months.set(month, [...(months.get(month) ?? []), amount]);',
        '  }',
        '  return new Map([...months].map(([month, amounts]) => [month, tally(amounts)]));',
        '}',
      ),
      'scripts/import.py': lines(
        'import csv',
        'import sys',
        '',
        '',
        'def rows(path):',
        '    with open(path, newline="") as file:',
        '        yield from csv.reader(file)',
        '',
        '',
        'for row in rows(sys.argv[1]):',
        '    print(",".join(row))',
      ),
      'requirements.txt': lines('charset-finder>=1.4'),
    },
  },
  {
    author: 'First Author',
    date: '2025-05-09T11:55:00Z',
    message: 'Pin what is used',
    files: {
      'package.json': json({
        name: 'tally',
        version: '1.1.0',
        license: 'MIT',
        dependencies: { 'numbers-of-people': '^2.1.0', 'month-names': '^1.0.3' },
        devDependencies: { vitest: '^3.1.0' },
      }),
      'package-lock.json': json({
        name: 'tally',
        version: '1.1.0',
        lockfileVersion: 3,
        packages: {
          '': { name: 'tally', version: '1.1.0', license: 'MIT' },
          'node_modules/numbers-of-people': { version: '2.1.4', license: 'ISC' },
          'node_modules/month-names': { version: '1.0.3', license: 'MIT' },
          'node_modules/vitest': { version: '3.1.2', dev: true, license: 'MIT' },
        },
      }),
    },
  },
];
