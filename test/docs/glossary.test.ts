// docs/glossary.md stays short: what only one page needs is explained there.
import { describe, expect, it } from 'vitest';
import { textOf } from './markdown.js';

const TERMS_MAX = 40;

describe('docs/glossary.md', () => {
  const terms = [...textOf('docs/glossary.md').matchAll(/^- \*\*([^*]+)\*\*:/gm)].map(
    ([, term]) => term ?? '',
  );

  it('has few terms', () => {
    expect(terms).toContain('completion');
    expect(terms.length).toBeLessThanOrEqual(TERMS_MAX);
  });

  it('has each once, in alphabetical order', () => {
    expect(terms).toEqual([...new Set(terms)].sort());
  });
});
