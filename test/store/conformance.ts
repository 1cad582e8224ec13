// What every store has to do, whatever database it is on. Handed a way to open an empty one.
import { afterEach, beforeEach, describe } from 'vitest';
import type { Store } from '../../src/ports/storage/store.js';
import { conformArchives } from './conformance/archives.js';
import { conformCandidates, conformClaimable } from './conformance/claimable.js';
import { conformDoctor } from './conformance/doctor.js';
import { conformFeed } from './conformance/feed.js';
import { conformHistory } from './conformance/history.js';
import { conformLists } from './conformance/lists.js';
import { conformOddText } from './conformance/odd-text.js';
import { conformReads } from './conformance/reads.js';
import { conformReceipts } from './conformance/receipts.js';
import { conformRestoredReferences } from './conformance/restored-references.js';
import { conformTransact } from './conformance/transact.js';
import { conformWebhooks } from './conformance/webhooks.js';
import { conformWants } from './conformance/load-requests.js';
import type { Subject } from './conformance/subject.js';

/** Declares the suite for one store; `open` gives an empty database each time, which the suite closes. */
export function storeConformance(
  name: string,
  open: (options?: { onError: (error: unknown) => void }) => Promise<Store>,
): void {
  describe(`store on ${name}`, () => {
    let store: Store;
    const errors: unknown[] = [];
    beforeEach(async () => {
      errors.length = 0;
      store = await open({ onError: (error) => errors.push(error) });
    });
    afterEach(() => store.close());

    const subject: Subject = { store: () => store, errors };
    describe('transact', () => conformTransact(subject));
    describe('wants', () => conformWants(subject));
    describe('claimable', () => {
      conformClaimable(subject);
      conformCandidates(subject);
    });
    describe('reads', () => conformReads(subject));
    describe('restored references', () => conformRestoredReferences(subject));
    describe('lists', () => conformLists(subject));
    describe('history', () => conformHistory(subject));
    describe('feed', () => conformFeed(subject));
    describe('receipts', () => conformReceipts(subject));
    describe('archives', () => conformArchives(subject));
    describe('webhooks', () => conformWebhooks(subject));
    describe('odd text', () => conformOddText(subject));
    describe('doctor', () => conformDoctor(subject));
  });
}
