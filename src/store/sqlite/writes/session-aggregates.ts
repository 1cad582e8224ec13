// Desks, kept while nothing on them changes: a parent of many children is loaded for every write of each child.
import { LRUCache } from 'lru-cache';
import type { Change, Changeset } from '../../../domain/transactions/changeset.js';
import type { SessionAggregate } from '../../../domain/transactions/loaded-records.js';
import type { Loading } from './loading.js';
import { allSound, sound } from '../reads/sound.js';

const NOBODY: readonly string[] = [];

/** The sessions on whose desks a change shows. */
function touched(change: Change): readonly string[] {
  if ('remove' in change) return NOBODY;
  switch (change.put) {
    case 'session':
    case 'completion':
    case 'run':
      return [change.record.sessionId];
    case 'callback':
      return [change.record.parentSessionId, change.record.childSessionId];
    default:
      return NOBODY;
  }
}

/** Desks of one connection. Only to be used inside its transactions. */
export class Desks {
  readonly #loading: Loading;
  readonly #kept: LRUCache<string, SessionAggregate>;

  constructor(loading: Loading, bytesMax: number) {
    this.#loading = loading;
    this.#kept = new LRUCache({
      maxSize: bytesMax,
      // About; what counts is that prompts and results, which can be long, do.
      sizeCalculation: (desk) => JSON.stringify(desk).length,
    });
  }

  /** What this connection has just written. */
  written(changes: Changeset): void {
    for (const change of changes) for (const id of touched(change)) this.#kept.delete(id);
  }

  /** Nothing that is kept can be trusted: it was undone, or another connection has written. */
  clear(): void {
    this.#kept.clear();
  }

  /** The desk where it is kept; says nothing of sessions that are not. */
  kept(sessionId: string): SessionAggregate | undefined {
    return this.#kept.get(sessionId);
  }

  get(sessionId: string): SessionAggregate | undefined {
    const kept = this.#kept.get(sessionId);
    if (kept !== undefined) return kept;
    const desk = this.#load(sessionId);
    if (desk !== undefined) this.#kept.set(sessionId, desk);
    return desk;
  }

  #load(id: string): SessionAggregate | undefined {
    const session = this.#loading.session.get({ id });
    if (session === undefined) return undefined;
    const since = { id, generation: session.generation };
    return {
      session: sound('session', session),
      completions: allSound('completion', this.#loading.completions.all(since)),
      runs: allSound('run', this.#loading.unfinishedRuns.all({ id })),
      inbox: allSound('callback', this.#loading.inbox.all({ id })),
      outbox: allSound('callback', this.#loading.outbox.all(since)),
    };
  }
}
