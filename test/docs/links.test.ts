// Links between the pages: every file is there, and every heading that is linked to.
import { dirname, join, normalize } from 'node:path';
import { describe, expect, test } from 'vitest';
import { anchorsOf, isThere, pages, prose, textOf } from './markdown.js';

interface Link {
  readonly target: string;
  readonly anchor: string;
}

function linksOf(page: string): readonly Link[] {
  const text = prose(textOf(page)).replace(/`[^`]*`/g, '');
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, url]) => url ?? '')
    .filter((url) => !/^[a-z]+:/.test(url))
    .map((url) => {
      const [path = '', anchor = ''] = url.split('#');
      return { target: path === '' ? page : normalize(join(dirname(page), path)), anchor };
    });
}

describe('links', () => {
  test.each(pages())('of %s lead somewhere', (page) => {
    for (const { target, anchor } of linksOf(page)) {
      expect(isThere(target), `${page} links to ${target}`).toBe(true);
      if (anchor !== '') expect([...anchorsOf(textOf(target))], `${page} to ${target}`).toContain(anchor);
    }
  });

  test('lead from the README or the index to every page of docs/', () => {
    const linked = new Set(pages().flatMap((page) => linksOf(page).map(({ target }) => target)));
    for (const page of pages().filter((one) => one.startsWith('docs/') && one !== 'docs/README.md')) {
      expect([...linked]).toContain(page);
    }
  });
});
