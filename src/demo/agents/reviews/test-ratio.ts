// Review: how many lines of tests there are for each line of source.
import { textFiles, type TextFile } from './files.js';
import { languageOf } from './language.js';
import { createBudget, type Review } from './review.js';

const TEST_FOLDER = /(^|\/)(tests?|__tests__|specs?|e2e)\//i;
const TEST_NAME = /(^|\/)(test_[^/]*|[^/]*([._-](test|spec)|Tests?))\.[^/.]+$/;

export const reviewTestRatio: Review = async (folder) => {
  const { items, complete } = await textFiles(folder, createBudget());
  const code = items.filter(({ path }) => languageOf(path).isCode);
  const tests = code.filter(({ path }) => isTest(path));
  const source = code.filter(({ path }) => !isTest(path));
  const ratio = lines(source) === 0 ? null : Math.round((lines(tests) / lines(source)) * 100) / 100;
  return {
    prose: `There are ${lines(tests)} lines of tests for ${lines(source)} lines of source${ratio === null ? '' : `, ${ratio} for each`}.`,
    data: {
      source_files: source.length,
      source_lines: lines(source),
      test_files: tests.length,
      test_lines: lines(tests),
      ratio,
      complete,
    },
  };
};

function isTest(path: string): boolean {
  return TEST_FOLDER.test(path) || TEST_NAME.test(path);
}

function lines(files: readonly TextFile[]): number {
  return files.reduce((total, file) => total + file.lines, 0);
}
