// Review: lines and languages.
import { textFiles, type TextFile } from './files.js';
import { languageOf, OTHER } from './language.js';
import { createBudget, type Review } from './review.js';

const LANGUAGES_MAX = 12;

export const reviewLanguages: Review = async (folder) => {
  const { items, complete } = await textFiles(folder, createBudget());
  const lines = sum(items);
  const languages = ranked(items).map(({ language, files }) => ({
    language,
    files: files.length,
    lines: sum(files),
    percent: lines === 0 ? 0 : Math.round((sum(files) / lines) * 1000) / 10,
  }));
  const main = languages[0]?.language ?? 'nothing at all';
  return {
    prose: `I counted ${lines} lines in ${items.length} text files; most of it is ${main}.`,
    data: { files: items.length, lines, languages, complete },
  };
};

/** Most lines first; what is left over beyond the bound is summed up with what has no known language. */
function ranked(items: readonly TextFile[]): { language: string; files: readonly TextFile[] }[] {
  const byName = new Map<string, TextFile[]>();
  for (const file of items) {
    const { name } = languageOf(file.path);
    const group = byName.get(name);
    if (group === undefined) byName.set(name, [file]);
    else group.push(file);
  }
  const other = byName.get(OTHER.name) ?? [];
  byName.delete(OTHER.name);
  const known = [...byName].map(([language, files]) => ({ language, files }));
  known.sort((a, b) => sum(b.files) - sum(a.files));
  const kept = known.slice(0, LANGUAGES_MAX - 1);
  const rest = [...other, ...known.slice(LANGUAGES_MAX - 1).flatMap(({ files }) => files)];
  return rest.length === 0 ? kept : [...kept, { language: OTHER.name, files: rest }];
}

function sum(files: readonly TextFile[]): number {
  return files.reduce((total, { lines }) => total + lines, 0);
}
