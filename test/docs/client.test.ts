// docs/client.md: its program is type-checked and run, and its table has every call.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import ts from 'typescript';
import { afterAll, describe, expect, test } from 'vitest';
import { clientOver } from '../../src/client/client-over.js';
import type { Transport } from '../../src/client/transport/transport.js';
import { freePort } from '../support/free-port.js';
import { Program, runScript } from '../support/program.js';
import { codeBlocks, ROOT, sectionOf, tableRows, textOf } from './markdown.js';

const page = textOf('docs/client.md');
const program = `${codeBlocks(page, 'ts').join('\n')}\nexport {};\n`;
const client = join(ROOT, 'src/client/index.ts');

const dir = mkdtempSync(join(ROOT, 'node_modules', '.countersign-docs-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

describe('the page of the client', () => {
  test('has every call', () => {
    const groups = Object.entries(clientOver({} as Transport)).map(([group, calls]) => [
      group,
      Object.keys(calls as object).sort(),
    ]);
    const rows = tableRows(sectionOf(page, 'Calls')).map(([group = '', calls = '']) => [
      group.replaceAll('`', ''),
      [...calls.split(':')[0]!.matchAll(/`(\w+)`/g)].map(([, name]) => name).sort(),
    ]);
    expect(Object.fromEntries(rows)).toEqual(Object.fromEntries(groups));
  });

  test('has a program that fits the types', { timeout: 60_000 }, () => {
    const file = join(dir, 'page.ts');
    writeFileSync(file, program);
    const { options } = ts.parseJsonConfigFileContent(
      ts.readConfigFile(join(ROOT, 'tsconfig.json'), (path) => ts.sys.readFile(path)).config,
      ts.sys,
      ROOT,
    );
    const paths = { 'countersign/client': [client] };
    const made = ts.createProgram([file], {
      ...options,
      paths,
      typeRoots: [join(ROOT, 'node_modules/@types')],
    });
    const source = made.getSourceFile(file);
    const faults = [...made.getSyntacticDiagnostics(source), ...made.getSemanticDiagnostics(source)];
    expect(faults.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))).toEqual([]);
  });

  test('has a program that does what it says', { timeout: 60_000 }, async () => {
    const port = await freePort();
    const contents = program.replaceAll('4717', String(port));
    const outfile = join(dir, 'page.mjs');
    await build({
      stdin: { contents, loader: 'ts', resolveDir: ROOT },
      alias: { 'countersign/client': client },
      bundle: true,
      platform: 'node',
      format: 'esm',
      outfile,
      logLevel: 'silent',
    });
    const service = await Program.start(['serve', '--port', String(port), '--db', join(dir, 'page.db')]);
    try {
      await service.printed(/ready at/);
      const { code, stdout, stderr } = await runScript(outfile);
      expect([code, stderr]).toEqual([0, '']);
      expect(stdout).toMatch(/1 \{ n: 0 \}/);
      expect(stdout).toContain("[ 'tour' ]");
      expect(stdout).toMatch(/validation_failed 422 \/n /);
      expect(stdout).toContain('state_not_found');
      expect(stdout).toContain('5 true');
      expect(stdout.match(/^version \d+/gm)).toEqual(['version 2', 'version 3', 'version 4', 'version 5']);
      expect(stdout.trim().split('\n').at(-1)).toBe('true');
    } finally {
      await service.end();
    }
  });
});
