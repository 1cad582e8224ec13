// Review: the largest files.
import { gitWithin } from '../../git.js';
import { linesOf, sizedFiles, type SizedFile } from './files.js';
import { createBudget, forEachWithin, PROCESSES_AT_ONCE, type Budget, type Review } from './review.js';

const FILES_MAX = 10;

export const reviewLargestFiles: Review = async (folder) => {
  const budget = createBudget();
  const { items, complete } = await sizedFiles(folder, budget);
  const largest = [...items].sort((a, b) => b.bytes - a.bytes).slice(0, FILES_MAX);
  const described = async (file: SizedFile) => ({
    path: file.path,
    bytes: file.bytes,
    lines: await linesOf(folder, file),
    last_changed: await lastChange(folder, file.path, budget),
  });
  const files = await forEachWithin(largest, budget, described, PROCESSES_AT_ONCE);
  const totalBytes = items.reduce((total, { bytes }) => total + bytes, 0);
  const [first] = files;
  const prose =
    first === undefined
      ? 'There are no files.'
      : `The largest of ${items.length} files is ${first.path} with ${first.bytes} bytes.`;
  return {
    prose,
    data: { total_bytes: totalBytes, files, complete: complete && files.length === largest.length },
  };
};

/** @returns Day of the last commit; `null` where there is none, or it took too long to find. */
async function lastChange(folder: string, file: string, budget: Budget): Promise<string | null> {
  const args = ['--literal-pathspecs', 'log', '-1', '--format=%cs', '--', file];
  const { text, complete } = await gitWithin(folder, args, { timeoutMs: budget.leftMs() });
  const day = text.trim();
  return complete && day !== '' ? day : null;
}
