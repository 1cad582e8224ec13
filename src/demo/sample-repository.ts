// A small repository with a past, for where there is none to review.
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { git } from './git.js';
import { SAMPLE_COMMITS } from './sample-files.js';

/** Nothing of the user's own configuration takes part: no hooks, no signing. */
const ALONE = { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };

/** Makes the repository, with a few commits by two people over some years. */
export async function makeSampleRepository(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await git(folder, ['-c', 'init.defaultBranch=main', 'init', '--quiet'], { environment: ALONE });
  for (const commit of SAMPLE_COMMITS) {
    for (const [name, text] of Object.entries(commit.files)) {
      const file = path.join(folder, name);
      await mkdir(path.dirname(file), { recursive: true });
      await writeFile(file, text);
    }
    const who = commit.author;
    const environment = {
      ...ALONE,
      GIT_AUTHOR_NAME: who,
      GIT_AUTHOR_EMAIL: `${who.toLowerCase()}@example.com`,
      GIT_AUTHOR_DATE: commit.date,
      GIT_COMMITTER_NAME: who,
      GIT_COMMITTER_EMAIL: `${who.toLowerCase()}@example.com`,
      GIT_COMMITTER_DATE: commit.date,
    };
    await git(folder, ['add', '--all'], { environment });
    await git(folder, ['commit', '--quiet', '--message', commit.message], { environment });
  }
}
