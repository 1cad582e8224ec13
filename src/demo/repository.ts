// Which repository is reviewed: the one that is named, the program's own checkout, or a small one that is made.
import { realpath, stat } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { DemoFault } from './fault.js';
import { git, GitError } from './git.js';
import { makeSampleRepository } from './sample-repository.js';

export interface Repository {
  /** Absolute path of its work tree. */
  readonly path: string;
  readonly kind: 'named' | 'own' | 'made';
}

/**
 * Finds or makes the repository.
 *
 * @param named - Absolute path; `null` for the default.
 * @param makeAt - Folder for one that is made.
 * @throws DemoFault Where the named one cannot be reviewed.
 */
export async function findRepository(named: string | null, makeAt: string): Promise<Repository> {
  if (named !== null) return { path: await workTreeOf(named), kind: 'named' };
  const own = await realpath(fileURLToPath(new URL('../..', import.meta.url)));
  // An installed copy may lie inside of someone's repository: that one is not ours to choose.
  if ((await reviewable(own)) === own) return { path: own, kind: 'own' };
  await makeSampleRepository(makeAt);
  return { path: makeAt, kind: 'made' };
}

async function reviewable(path: string): Promise<string | null> {
  try {
    return await workTreeOf(path);
  } catch (error) {
    if (error instanceof DemoFault) return null;
    throw error;
  }
}

async function workTreeOf(path: string): Promise<string> {
  const found = await stat(path).catch(() => null);
  if (found === null) throw new DemoFault(`There is nothing at ${path}.`);
  if (!found.isDirectory()) throw new DemoFault(`${path} is not a folder.`);
  const top = await git(path, ['rev-parse', '--show-toplevel']).catch((error: unknown) => {
    if (!(error instanceof GitError)) throw error;
    if (error.message.startsWith('not a git repository'))
      throw new DemoFault(`${path} is no git repository.`);
    throw new DemoFault(`The repository at ${path} cannot be reviewed: ${error.message}.`);
  });
  await git(top, ['rev-parse', '--verify', '--quiet', 'HEAD']).catch(() => {
    throw new DemoFault(`The git repository at ${path} has no commits yet: there is nothing to review.`);
  });
  return realpath(top);
}
