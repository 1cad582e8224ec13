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
  const hashOf = (version: number) => `hash of ${String(version)}`;
  const at = (version: number) => ({ stateId: 'wst_1', version, lastHash: hashOf(version) });
  const event = (version: number, patchText: string, previousHash = hashOf(version - 1)) => {
    const record = anEvent({ version, patchText, previousHash, hash: hashOf(version) });
    return { put: 'event', record } as const;
  };

  /** A cache with version 1 of a state. */
  function cache(sizes = new StateSizes(DEFAULT_LIMITS, silent)) {
    const texts = new DocumentTexts();
    // Nothing is in the database: what is not cached is not found.
    const store = { read: { document: () => Promise.resolve(null) } } as never;
    const documents = new Documents(store, 100_000, sizes, texts);
    documents.cache(at(1), { n: 0 });
    return documents;
  }

  it('gets the patches of the versions after it', () => {
    const documents = cache();
    documents.onCommit([event(2, patch('/a')), event(3, patch('/b'))]);
    expect(documents.cached(at(3))).toEqual({ n: 0, a: 1, b: 1 });
  });

  it.each([
    ['after a gap', [event(3, patch('/a'))]],
    ['that is not told', [event(2, '')]],
    ['that does not apply', [event(2, patch('/not/there'))]],
    ['that is no patch', [event(2, '{"op":"add"}')]],
    ['that it has already', [event(1, patch('/a'))]],
    ['on another version 1', [event(2, patch('/a'), 'hash of another')]],
  ])('stays at its version where there is one %s', async (_title, changes) => {
    const documents = cache();
    documents.onCommit(changes);
    expect(documents.cached(at(1))).toEqual({ n: 0 });
    expect(await documents.at(at(3))).toBeNull();
  });

  it.each([
    ['when it is used, after a short patch', 'used', (value: string) => [{ op: 'add', path: '/a', value }]],
    [
      'at once, after a patch longer than itself',
      'unused',
      (value: string) => [{ op: 'add', path: '/a', value }],
    ],
    ['at once, after a copy', 'unused', () => [{ op: 'copy', from: '/text', path: '/a' }]],
  ])('is measured %s', (title, use, patchOf) => {
    const sizes = new StateSizes({ ...DEFAULT_LIMITS, stateBytesMax: 1_500 }, silent);
    const documents = cache(sizes);
    documents.cache(at(1), { text: 'x'.repeat(1_000) });
    expect(sizes.near).toBe(0);
    const value = 'y'.repeat(title.includes('longer') ? 1_100 : 400);
    documents.onCommit([event(2, JSON.stringify(patchOf(value)))]);
    expect(sizes.near).toBe(use === 'unused' ? 1 : 0);
    documents.cached(at(2));
    expect(sizes.near).toBe(1);
  });

  it('is not that of another event with the same version', async () => {
    const documents = cache();
    const other = { ...at(1), lastHash: 'hash of another' };
    expect(documents.cached(other)).toBeUndefined();
    expect(await documents.at(other)).toBeNull();
    expect(documents.cachedEnvelope(other)).toBeNull();
  });
});
