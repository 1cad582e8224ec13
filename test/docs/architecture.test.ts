// Pages name files of the product. They exist.
import { describe, expect, it } from 'vitest';
import { isThere, pages, textOf } from './markdown.js';

/** A path in a folder of `src/`, or of `test/`, in code style. */
const FILE = /`([a-z-]+\/[a-z/-]+\.ts)`/g;

const filesIn = (page: string) => [...textOf(page).matchAll(FILE)].map(([, file]) => file ?? '');
const isMissing = (file: string) => !isThere(file) && !isThere(`src/${file}`);

describe('docs/architecture.md', () => {
  it('names many files', () => {
    expect(filesIn('docs/architecture.md').length).toBeGreaterThan(40);
  });
});

describe('a page', () => {
  it.each(pages().filter((page) => page !== 'CHANGELOG.md'))('%s names only files that exist', (page) => {
    expect(filesIn(page).filter(isMissing)).toEqual([]);
  });
});
