// The five reviews, by the name of the child. Each gives a sentence and the data that its contract describes.
import { git } from '../../git.js';
import { reviewDependencies } from './dependencies.js';
import { linesOf, mapInParts, sizedFiles, textFiles, type TextFile } from './files.js';
import type { Reviewed } from './reviewed.js';
import { isCode, isTest, languageOf, OTHER } from './language.js';

/** @param folder - Root of the repository's work tree. */
type Review = (folder: string) => Promise<Reviewed>;

export const REVIEWS: Readonly<Record<string, Review>> = {
  languages: reviewLanguages,
  'largest-files': reviewLargestFiles,
  todos: reviewTodos,
  dependencies: reviewDependencies,
  'test-ratio': reviewTestRatio,
};

const LANGUAGES_MAX = 12;
const FILES_MAX = 10;
const NOTES_MAX = 20;
const NOTE_CHARACTERS_MAX = 160;
const DAY_MS = 24 * 60 * 60_000;
/** Behind the start of a comment: the bare words stand in honest code too. POSIX, extended. */
const NOTE = '(//|#|/\\*|^ *\\*|--|;|<!--)[[:space:]]*(TODO|FIXME)([^[:alnum:]_]|$)';

const linesIn = (files: readonly TextFile[]) => files.reduce((total, { lines }) => total + lines, 0);
const rounded = (value: number, digits: number) => Number(value.toFixed(digits));

/** Most lines first. Files without a known language come last, with the languages beyond the bound. */
async function reviewLanguages(folder: string): Promise<Reviewed> {
  const { items, complete } = await textFiles(folder);
  const lines = linesIn(items);
  const filesOf = (language: string) => items.filter(({ path }) => languageOf(path) === language);
  const known = [...new Set(items.map(({ path }) => languageOf(path)))]
    .filter((language) => language !== OTHER)
    .map((language) => [language, filesOf(language)] as const)
    .sort(([, a], [, b]) => linesIn(b) - linesIn(a));
  const rest = [...filesOf(OTHER), ...known.splice(LANGUAGES_MAX - 1).flatMap(([, files]) => files)];
  const languages = [...known, [OTHER, rest] as const]
    .filter(([, files]) => files.length > 0)
    .map(([language, files]) => ({
      language,
      files: files.length,
      lines: linesIn(files),
      percent: lines === 0 ? 0 : rounded((linesIn(files) / lines) * 100, 1),
    }));
  return {
    prose: `I counted ${String(lines)} lines in ${String(items.length)} files, mostly ${languages[0]?.language ?? 'nothing'}.`,
    data: { files: items.length, lines, languages, complete },
  };
}

async function reviewLargestFiles(folder: string): Promise<Reviewed> {
  const { items, complete } = await sizedFiles(folder);
  const largest = [...items].sort((a, b) => b.bytes - a.bytes).slice(0, FILES_MAX);
  const files = await mapInParts(largest, async (file) => {
    const args = ['--literal-pathspecs', 'log', '-1', '--format=%cs', '--', file.path];
    const day = await git(folder, args).catch(() => '');
    return [{ ...file, lines: await linesOf(folder, file), last_changed: day === '' ? null : day }];
  });
  const [first] = files;
  return {
    prose:
      first === undefined
        ? 'There are no files.'
        : `The largest file is ${first.path}, ${String(first.bytes)} bytes.`,
    data: { total_bytes: items.reduce((total, { bytes }) => total + bytes, 0), files, complete },
  };
}

/** Tests are left out: their notes are samples more often than open work. */
async function reviewTodos(folder: string): Promise<Reviewed> {
  const found = await git(folder, ['grep', '--no-textconv', '-z', '-n', '-I', '-E', NOTE], {
    noneExitCode: 1,
  });
  const notes = found
    .split('\n')
    .map((line) => line.split('\0'))
    .filter(([path = '', line]) => line !== undefined && !isTest(path));
  const items = await mapInParts(notes.slice(0, NOTES_MAX), async ([path = '', line = '', ...rest]) => {
    const [, kind = '', text = ''] = /(TODO|FIXME)\W*(.*)/.exec(rest.join(' ').trim()) ?? [];
    const written = await blame(folder, path, line);
    return [{ path, line: Number(line), kind, text: text.slice(0, NOTE_CHARACTERS_MAX), ...written }];
  });
  const ages = items.flatMap(({ age_days: days }) => days ?? []);
  const oldest = ages.length === 0 ? null : Math.max(...ages);
  const age = oldest === null ? '' : `, the oldest ${String(oldest)} days old`;
  return {
    prose: `I found ${String(notes.length)} open notes${age}.`,
    data: { total: notes.length, oldest_days: oldest, items, complete: items.length === notes.length },
  };
}

/** Who wrote the line, and when; `null` for a line that is in no commit yet. */
async function blame(folder: string, path: string, line: string) {
  const args = ['blame', '--porcelain', '--no-textconv', '-L', `${line},${line}`, '--', path];
  const text = await git(folder, args).catch(() => '');
  const author = /^author (.*)$/m.exec(text)?.[1] ?? null;
  const seconds = /^author-time (\d+)$/m.exec(text)?.[1];
  if (author === null || seconds === undefined) return { author: null, age_days: null };
  return { author, age_days: Math.max(0, Math.floor((Date.now() - Number(seconds) * 1000) / DAY_MS)) };
}

async function reviewTestRatio(folder: string): Promise<Reviewed> {
  const { items, complete } = await textFiles(folder);
  const code = items.filter(({ path }) => isCode(path));
  const tests = code.filter(({ path }) => isTest(path));
  const source = code.filter(({ path }) => !isTest(path));
  const ratio = linesIn(source) === 0 ? null : rounded(linesIn(tests) / linesIn(source), 2);
  return {
    prose: `There are ${String(linesIn(tests))} lines of tests for ${String(linesIn(source))} lines of source.`,
    data: {
      source_files: source.length,
      source_lines: linesIn(source),
      test_files: tests.length,
      test_lines: linesIn(tests),
      ratio,
      complete,
    },
  };
}
