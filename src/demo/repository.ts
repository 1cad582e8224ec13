// Which repository is reviewed: the named one, the program's own checkout, or a small one that is made.
import { mkdir, realpath, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { DemoFault } from './fault.js';
import { git, GitError } from './git.js';

/**
 * Finds or makes the repository.
 *
 * @param named - Absolute path; `null` for the default.
 * @param makeAt - Folder for one that is made.
 * @returns Absolute path of its work tree.
 * @throws DemoFault The named one cannot be reviewed.
 */
export async function findRepository(named: string | null, makeAt: string): Promise<string> {
  if (named !== null) return workTreeOf(named);
  const own = await realpath(fileURLToPath(new URL('../..', import.meta.url)));
  // An installed copy may lie inside of somebody's repository. That one is not reviewed.
  const found = await workTreeOf(own).catch((error: unknown) => {
    if (error instanceof DemoFault) return null;
    throw error;
  });
  if (found === own) return own;
  await makeSampleRepository(makeAt);
  return makeAt;
}

async function workTreeOf(named: string): Promise<string> {
  const found = await stat(named).catch(() => null);
  if (found === null) throw new DemoFault(`There is nothing at ${named}.`);
  if (!found.isDirectory()) throw new DemoFault(`${named} is not a folder.`);
  const top = await git(named, ['rev-parse', '--show-toplevel']).catch((error: unknown) => {
    if (!(error instanceof GitError)) throw error;
    if (error.message.startsWith('not a git repository')) {
      throw new DemoFault(`${named} is no git repository.`);
    }
    throw new DemoFault(`The repository at ${named} cannot be reviewed: ${error.message}.`);
  });
  await git(top, ['rev-parse', '--verify', '--quiet', 'HEAD']).catch(() => {
    throw new DemoFault(`The git repository at ${named} has no commits yet: there is nothing to review.`);
  });
  return realpath(top);
}

/** Put together here, so that a review of this file finds no open note in it. */
const TODO = ['//', 'TODO:'].join(' ');

const SAMPLE: Readonly<Record<string, string>> = {
  'README.md': '# tally\n\nAdds up amounts that people type.\n',
  'package.json': `${JSON.stringify({
    name: 'tally',
    license: 'MIT',
    dependencies: { 'decimal-numbers': '^2.1.0' },
    devDependencies: { 'test-runner': '^3.1.0' },
  })}\n`,
  'package-lock.json': `${JSON.stringify({
    lockfileVersion: 3,
    packages: { 'node_modules/decimal-numbers': { version: '2.1.4', license: 'ISC' } },
  })}\n`,
  'src/tally.ts': `${TODO} amounts with a currency behind them
export function tally(rows: readonly string[]): number {
  ${TODO} cents get lost in long sums
  return rows.map(Number).reduce((sum, amount) => sum + amount, 0);
}
`,
  'test/tally.test.ts':
    "import { tally } from '../src/tally.js';\n\nif (tally(['1.5', '2.5']) !== 4) throw new Error();\n",
};
const SAMPLE_DATE = '2024-03-14T09:26:00Z';
const SAMPLE_AUTHOR = 'Sample Author';

/** Makes a repository of one commit. The user's configuration takes no part: no hooks, no signing. */
export async function makeSampleRepository(folder: string): Promise<void> {
  const identity = (who: string) => ({
    [`GIT_${who}_NAME`]: SAMPLE_AUTHOR,
    [`GIT_${who}_EMAIL`]: 'author@example.com',
    [`GIT_${who}_DATE`]: SAMPLE_DATE,
  });
  const isolated = { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };
  const environment = { ...isolated, ...identity('AUTHOR'), ...identity('COMMITTER') };
  for (const [name, text] of Object.entries(SAMPLE)) {
    await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
    await writeFile(path.join(folder, name), text);
  }
  await git(folder, ['-c', 'init.defaultBranch=main', 'init', '--quiet'], { environment });
  await git(folder, ['add', '--all'], { environment });
  await git(folder, ['commit', '--quiet', '--message', 'Add up amounts'], { environment });
}
