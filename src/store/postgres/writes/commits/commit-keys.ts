// What a commit locks: the trees of its records, by their root sessions, and a key for what belongs to no tree. All commits
// lock in the order of the keys, so none waits for another in a circle.
import type { Change } from '../../../../domain/transactions/changeset.js';
import type { LoadRequest } from '../../../../domain/transactions/loaded-records.js';
import type { Request, Result } from '../../../request.js';

/** A request, and what it needs locks for beside its load requests. */
export interface Asked {
  readonly request: Request;
  readonly keys: ReadonlySet<string>;
}

/** The result of a request, or the further keys with which it has to be made again. */
export type CommitResult = Result | { readonly ok: false; readonly needs: readonly string[] };

/** The webhooks, and who removes old rows. These begin with the lowest printable character: they are locked before trees. */
export const WEBHOOKS_KEY = '!webhooks';
export const PRUNE_KEY = '!prune';
const LOCAL = '?';
const TOKENS_KEY = '!tokens';
/**
 * Locked only within a coordinator: it spares its commits from overtaking each other. A runner works with one coordinator at a
 * time, and its record is replaced only at the revision that was read.
 */
const runnerKey = (runnerId: string) => `${LOCAL}runner ${runnerId}`;
/** The deliveries to a destination, and its circuit breaker. */
export const originKey = (origin: string) => `!origin ${origin}`;

/** Keys in the order of locking, without those that the database does not lock. */
export function inOrder(keys: Iterable<string>): string[] {
  return [...new Set(keys)].filter((key) => !key.startsWith(LOCAL)).sort(byCodeUnits);
}

function byCodeUnits(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** True if a key is locked after another one. */
export function isAfter(key: string, other: string): boolean {
  return byCodeUnits(key, other) > 0;
}

/** A record whose tree has to be found by its id. Which tree that is never changes. */
export interface Lookup {
  readonly of: 'session' | 'name' | 'state' | 'run' | 'callback' | 'delivery';
  readonly id: string;
}

/** What has to be locked for a load request: a key, or the tree of a record. `null`: nothing. */
export function keyOfLoad(load: LoadRequest): string | Lookup | null {
  switch (load.load) {
    case 'aggregate':
    case 'handed':
      return { of: 'session', id: load.sessionId };
    case 'aggregateNamed':
      return { of: 'name', id: load.idOrName };
    case 'run':
      return { of: 'run', id: load.runId };
    case 'callback':
      return { of: 'callback', id: load.callbackId };
    case 'delivery':
      return { of: 'delivery', id: load.deliveryId };
    case 'state':
      return { of: 'state', id: load.stateId };
    case 'openAggregates':
    case 'treeState':
    case 'sessionCount':
    case 'schemasOwned':
      return load.rootSessionId;
    case 'runner':
      return runnerKey(load.runnerId);
    case 'tokens':
      return TOKENS_KEY;
    case 'webhooks':
      return WEBHOOKS_KEY;
    case 'repaired':
      return { tree: load.id, delivery: null, webhooks: WEBHOOKS_KEY, destination: originKey(load.id) }[
        load.kind
      ];
    // Their rows are unique, so of two that write the same one is made again.
    case 'receipt':
    case 'schemaName':
    case 'schemaVersion':
    case 'schemaOf':
    // The sessions of its runs are locked before they are loaded.
    case 'claimable':
      return null;
  }
}

/** The keys of a change, of which one has to be locked: the first, if none is. Empty: none has to. */
export function keysOfChange(change: Change): readonly string[] {
  if ('remove' in change) return change.remove === 'webhook' ? [WEBHOOKS_KEY] : [];
  switch (change.put) {
    case 'delivery':
      return [change.record.rootSessionId, originKey(change.record.origin)];
    case 'tree':
    case 'state':
    case 'session':
    case 'completion':
    case 'run':
    case 'callback':
    case 'event':
    case 'notice':
      return [change.record.rootSessionId];
    case 'destination':
      return [originKey(change.record.origin)];
    case 'token':
      return [TOKENS_KEY];
    case 'webhook':
      return [WEBHOOKS_KEY];
    case 'runner':
    case 'schema':
    case 'snapshot':
    case 'archive':
    case 'readCursor':
    case 'receipt':
      return [];
  }
}
