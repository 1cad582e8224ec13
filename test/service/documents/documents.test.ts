// Cached documents follow what another coordinator commits, so that they need not be read again.
import { describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../../../src/domain/limits.js';
import { DocumentTexts } from '../../../src/service/documents/document-texts.js';
import { Documents } from '../../../src/service/documents/documents.js';
import { StateSizes } from '../../../src/service/documents/state-sizes.js';
import { anEvent } from '../../store/records.js';
import { silent } from '../harness.js';

describe('the cached document of a state', () => {
  const patch = (path: string) => JSON.stringify([{ op: 'add', path, value: 1 }]);
  const event = (version: number, patchText: string) =>
    ({ put: 'event', record: anEvent({ version, patchText }) }) as const;

  /** A cache with version 1 of a state. */
  function cache() {
    const texts = new DocumentTexts();
    const sizes = new StateSizes(DEFAULT_LIMITS, silent);
    // Nothing is in the database: what is not cached is not found.
    const store = { read: { document: () => Promise.resolve(null) } } as never;
    const documents = new Documents(store, 100_000, sizes, texts);
    documents.keep('wst_1', 1, { n: 0 });
    return documents;
  }

  it('gets the patches of the versions after it', () => {
    const documents = cache();
    documents.hear([event(2, patch('/a')), event(3, patch('/b'))]);
    expect(documents.kept('wst_1', 3)).toEqual({ n: 0, a: 1, b: 1 });
  });

  it.each([
    ['after a gap', [event(3, patch('/a'))]],
    ['that is not told', [event(2, '')]],
    ['that does not apply', [event(2, patch('/not/there'))]],
    ['that is no patch', [event(2, '{"op":"add"}')]],
    ['that it has already', [event(1, patch('/a'))]],
  ])('stays at its version where there is one %s', async (_title, changes) => {
    const documents = cache();
    documents.hear(changes);
    expect(documents.kept('wst_1', 1)).toEqual({ n: 0 });
    expect(await documents.at('wst_1', 3)).toBeNull();
  });
});
