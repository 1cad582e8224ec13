// Texts that not every database can store or look into: U+0000, the character that a store may mark it with, and halves of
// surrogate pairs.
import { expect, it } from 'vitest';
import type { LoadRequest } from '../../../src/domain/transactions/loaded-records.js';
import type { Reader } from '../../../src/ports/storage/reader.js';
import { NOW, aCompletion, aRun, aSession, childOf, demands } from '../records.js';
import { load, write, type Subject } from './subject.js';

const ODD = {
  'U+0000': 'ses_a\0b',
  'U+0000 twice': '\0\0',
  'U+001A': 'ses_a\u001a0b',
  'a lone surrogate': 'ses_\ud800b',
};
const page = { limit: 10, cursor: null };
const root = aSession();

/** Every read that is asked for something by a text. */
const READS: Readonly<Record<string, (read: Reader, text: string) => Promise<unknown>>> = {
  session: (read, text) => read.session(text),
  'sessions of a root': (read, text) => read.sessions({ rootSessionId: text }, page),
  'sessions of a parent': (read, text) => read.sessions({ parentSessionId: text }, page),
  'sessions of an executor': (read, text) => read.sessions({ executorSessionId: text }, page),
  tree: (read, text) => read.tree(text),
  completion: (read, text) => read.completion(text),
  'completion of a generation': (read, text) => read.completion(text, 1),
  completions: (read, text) => read.completions({ rootSessionId: text }, page),
  openCompletions: (read, text) => read.openCompletions(text),
  receipt: (read, text) => read.receipt({ receiptId: text, rootSessionId: text }),
  run: (read, text) => read.run(text),
  'runs of a session': (read, text) => read.runs({ sessionId: text }, page),
  'runs of a root': (read, text) => read.runs({ rootSessionId: text }, page),
  workRuns: (read, text) => read.workRuns(text),
  runner: (read, text) => read.runner(text),
  runsOfRunner: (read, text) => read.runsOfRunner(text),
  callback: (read, text) => read.callback(text),
  'callbacks of a parent': (read, text) => read.callbacks({ parentSessionId: text }, page),
  'callbacks of a child': (read, text) => read.callbacks({ childSessionId: text }, page),
  'callbacks of a root': (read, text) => read.callbacks({ rootSessionId: text }, page),
  schema: (read, text) => read.schema(text),
  'schema of a version': (read, text) => read.schema(text, 1),
  schemaById: (read, text) => read.schemaById(text),
  'schemas of a name': (read, text) => read.schemas({ name: text }, page),
  schemaVersions: (read, text) => read.schemaVersions(text, page),
  state: (read, text) => read.state(text),
  'states of a root': (read, text) => read.states({ rootSessionId: text }, page),
  'states of a schema': (read, text) => read.states({ schemaName: text }, page),
  'states that are searched for': (read, text) => read.states({ search: text }, page),
  document: (read, text) => read.document(text),
  schemaIdAt: (read, text) => read.schemaIdAt(text, 1),
  events: async (read, text) => (await read.events(text, 0, 10, 1e9)).events,
  'feed of a state': async (read, text) => (await feed(read, { stateId: text })).items,
  'feed of a root': async (read, text) => (await feed(read, { rootSessionId: text })).items,
  archive: (read, text) => read.archive(text),
  'readCursor of a session': (read, text) => read.readCursor(text, 'wst_1'),
  'readCursor of a state': (read, text) => read.readCursor('ses_root', text),
  tokenByHash: (read, text) => read.tokenByHash(text),
  webhooks: (read, text) => read.webhooks.list({ rootSessionId: text }, page),
  webhook: (read, text) => read.webhooks.get(text),
  delivery: (read, text) => read.webhooks.delivery(text),
  deliveries: (read, text) => read.webhooks.deliveries({ webhookId: text }, page),
  dueAt: (read, text) => read.webhooks.dueAt(text, NOW, 10),
  expired: (read, text) => read.webhooks.expired(text, NOW, 10),
  destination: (read, text) => read.webhooks.destination(text),
};

function feed(read: Reader, filter: Parameters<Reader['feed']>[1]) {
  return read.feed({ events: 0, notices: 0 }, filter, 10, 1e9);
}

/** Every load request that names something by a text. */
const LOADS = (text: string): readonly LoadRequest[] => [
  { load: 'aggregate', sessionId: text },
  { load: 'aggregateNamed', idOrName: text },
  { load: 'openAggregates', rootSessionId: text },
  { load: 'run', runId: text },
  { load: 'callback', callbackId: text },
  { load: 'handed', sessionId: text, callbacksMax: 5 },
  { load: 'runner', runnerId: text },
  { load: 'treeState', rootSessionId: text },
  { load: 'state', stateId: text },
  { load: 'receipt', receiptId: text, rootSessionId: text },
  { load: 'schemaName', name: text, hash: text },
  { load: 'sessionCount', rootSessionId: text },
  { load: 'schemasOwned', rootSessionId: text },
  { load: 'schemaVersion', name: text, version: 1 },
  { load: 'schemaOf', schemaId: text },
  { load: 'delivery', deliveryId: text },
];

export function conformOddText({ store }: Subject): void {
  it.each(Object.entries(ODD))('finds nothing by a text with %s in any read', async (_, text) => {
    for (const [name, read] of Object.entries(READS)) {
      const found = await read(store().read, text);
      const items = typeof found === 'object' && found !== null && 'items' in found ? found.items : found;
      expect([name, items ?? []]).toEqual([name, []]);
    }
  });

  it.each(Object.entries(ODD))('loads nothing that a text with %s names', async (_, text) => {
    for (const request of LOADS(text)) {
      const { aggregates, trees, runs, callbacks, states, schemas } = await load(store(), request);
      const sizes = [aggregates, trees, runs, callbacks, states, schemas].map(({ size }) => size);
      expect([request.load, ...sizes]).toEqual([request.load, 0, 0, 0, 0, 0, 0]);
      // The lock that a decision has is found again.
      let isFirst = true;
      const asked = store().transact([request], () => {
        if (!isFirst) return { changes: [], value: 'decided' };
        isFirst = false;
        return { more: [{ load: 'treeState', rootSessionId: text }, request] };
      });
      expect(await asked).toBe('decided');
    }
  });

  it.each(Object.entries(ODD))(
    'hands a run that demands a tag with %s to its runner alone',
    async (_, odd) => {
      const wishes = {
        plain: {},
        tag: { tags: [odd] },
        tags: { tags: ['gpu', `${odd}${odd}`] },
        host: { hostname: odd.replace('\ud800', '\0') },
        executor: { executorType: odd },
        backslash: { tags: ['\\u0000', '\\\\ud800'] },
      };
      for (const [id, wish] of Object.entries(wishes)) {
        const session = childOf(root, id, { demands: demands(wish) });
        const run = aRun(session, id, { demands: demands(wish) });
        await write(store(), { put: 'session', record: session }, { put: 'run', record: run });
      }
      const claimable = async (hostname: string, executorTypes: string[], tags: string[]) => {
        const asked = { load: 'claimable', onlySound: false, now: NOW, runsMax: 10, claimsMax: 10 } as const;
        const found = await load(store(), { ...asked, hostname, executorTypes, tags });
        return found.claimable.map((run) => run.runId);
      };
      expect(await claimable('host-a', ['command'], ['gpu'])).toEqual(['plain']);
      expect(await claimable('host-a', ['command'], ['gpu', odd])).toEqual(['plain', 'tag']);
      expect(await claimable('host-a', [odd], ['gpu', `${odd}${odd}`])).toEqual([
        'plain',
        'tags',
        'executor',
      ]);
      expect(await claimable(wishes.host.hostname, ['command'], [])).toEqual(['plain', 'host']);
      expect(await claimable('host-a', [], ['\\u0000', '\\\\ud800'])).toEqual(['plain', 'backslash']);
      expect((await store().read.run('tag'))?.demands).toEqual(demands({ tags: [odd] }));
    },
  );

  it.each(Object.entries(ODD))('is examined where an attempt tells of %s', async (_, odd) => {
    const child = childOf(root, 'ses_child');
    const attempt = {
      attempt: 1,
      promptLevel: 1,
      runId: 'gone',
      outcome: 'contract_failed',
      errors: [{ pointer: `/${odd}`, keyword: 'required', message: `${odd} is missing`, expected: null }],
      startedAt: NOW,
      endedAt: NOW,
    } as const;
    const record = aCompletion(child, { attempts: [attempt] });
    await write(store(), { put: 'session', record: child }, { put: 'completion', record });
    const findings = await store().read.doctor(NOW, 100);
    const audited = await store().read.audit(100, { apply: () => ({}), hashOf: () => '' });
    expect([...findings, ...audited].map(({ detail }) => detail)).toContainEqual(
      expect.stringContaining('gone'),
    );
  });
}
