// A decision in progress: the loaded records with the changes so far. Rules read and write through it; it calls
// none. decisions/decide.ts begins and ends it.
import type { Violation } from '../errors.js';
import { idOf, contractResultKey } from './change-id.js';
import type { Change, ImmutableRecords, MutableRecords, Remove } from './changeset.js';
import { missing } from '../damage/damage.js';
import { withRecord, type LoadedRecords, type LoadRequest, type SessionAggregate } from './loaded-records.js';
import { STALE, type DecisionContext, type DocumentView } from './decision-context.js';
import type { Callback, Completion, Run, Session, Tree } from '../records/records.js';
import { TouchedSessions } from './touched-sessions.js';

/** Ends a decision before its rule has returned: records have to be loaded, or it has to be prepared again. */
export class Interrupted extends Error {
  constructor(readonly answer: { readonly more: readonly LoadRequest[] } | typeof STALE) {
    super('the decision cannot be made yet');
  }
}

type MutableKind = keyof MutableRecords;

export class UnitOfWork {
  /** By kind and id; immutable records by the record itself. */
  readonly #changes = new Map<unknown, Change>();
  /** Each changed record as it was loaded, by the same keys. */
  readonly #before = new Map<unknown, MutableRecords[MutableKind]>();
  /** Changed session aggregates. */
  readonly #aggregates = new Map<string, SessionAggregate>();
  #trees: Map<string, Tree> | null = null;
  /** The sessions that settling has to look at. */
  readonly touched = new TouchedSessions();

  constructor(
    readonly records: LoadedRecords,
    readonly context: DecisionContext,
    private readonly asked: () => Set<string>,
  ) {}

  get now(): number {
    return this.context.now;
  }

  /** Makes sure that records are loaded. If they are not, the decision runs again with them. */
  need(...loads: readonly LoadRequest[]): void {
    const more = loads.filter(
      (request) => !this.#isLoaded(request) && !this.asked().has(JSON.stringify(request)),
    );
    if (more.length === 0) return;
    for (const request of more) this.asked().add(JSON.stringify(request));
    throw new Interrupted({ more });
  }

  /** Loaded records need no request. A missing record may have been requested already, without a result. */
  #isLoaded(request: LoadRequest): boolean {
    if (request.load === 'state') return this.records.states.has(request.stateId);
    if (request.load === 'aggregateNamed') return this.records.sessionIds.has(request.idOrName);
    if (request.load === 'sessionCount') return this.records.sessionCounts.has(request.rootSessionId);
    return request.load === 'aggregate' && this.records.aggregates.has(request.sessionId);
  }

  /** The session aggregate with the changes so far; `null` if there is no such session. */
  findAggregate(sessionId: string): SessionAggregate | null {
    const aggregate = this.#aggregates.get(sessionId) ?? this.records.aggregates.get(sessionId);
    if (aggregate !== undefined) return aggregate;
    this.need({ load: 'aggregate', sessionId });
    return null;
  }

  /** The session aggregates that this decision has changed so far. */
  changedAggregates(): Iterable<SessionAggregate> {
    return this.#aggregates.values();
  }

  /** The aggregate of a session that must exist: parents and children of loaded ones. */
  aggregate(sessionId: string): SessionAggregate {
    const aggregate = this.findAggregate(sessionId);
    if (aggregate === null) throw missing('session', sessionId);
    return aggregate;
  }

  /** The completion of one of the session's generations, of the present one by default. */
  completion(sessionId: string, generation?: number): Completion {
    const aggregate = this.aggregate(sessionId);
    const named = generation ?? aggregate.session.generation;
    const completion = aggregate.completions.find((one) => one.generation === named);
    if (completion === undefined) throw missing('completion', `${sessionId}@${String(named)}`);
    return completion;
  }

  /** A run, ended or not, with the changes so far; `null` if there is none. */
  findRun(runId: string): Run | null {
    this.need({ load: 'run', runId });
    return this.#changed('run', runId) ?? this.records.runs.get(runId) ?? null;
  }

  /** A callback with the changes so far; `null` if there is none. */
  findCallback(callbackId: string): Callback | null {
    this.need({ load: 'callback', callbackId });
    return this.#changed('callback', callbackId) ?? this.records.callbacks.get(callbackId) ?? null;
  }

  #changed<K extends 'run' | 'callback' | 'state'>(kind: K, id: string): MutableRecords[K] | undefined {
    const change = this.#changes.get(`${kind}:${id}`);
    // The key of a change names its kind. TypeScript cannot follow this.
    return change !== undefined && 'put' in change ? (change.record as MutableRecords[K]) : undefined;
  }

  tree(rootSessionId: string): Tree {
    const tree = this.#trees?.get(rootSessionId) ?? this.records.trees.get(rootSessionId);
    if (tree === undefined) throw missing('tree', rootSessionId);
    return tree;
  }

  /** The tree's document, as this decision leaves it; `null` if the tree has no state or its history is damaged. */
  view(rootSessionId: string): DocumentView | null {
    const { stateId } = this.tree(rootSessionId);
    if (stateId === null) return null;
    if (this.context.documentDamage !== undefined) return null;
    this.need({ load: 'state', stateId });
    const head = this.#changed('state', stateId) ?? this.records.states.get(stateId);
    return (head === undefined ? undefined : this.context.documentOf(head)) ?? this.stale();
  }

  /** The result of a completion's contract, on the tree's present document. */
  contractViolations(completion: Completion): readonly Violation[] {
    const view = this.view(completion.rootSessionId);
    if (view === null) {
      const { documentDamage } = this.context;
      if (documentDamage === undefined) return [];
      const pointer = completion.settings.contract?.pointer ?? '';
      const violation = { pointer, keyword: 'contract', message: documentDamage, expected: null };
      return [violation];
    }
    return this.context.contractViolationsOf(completion, view) ?? this.stale();
  }

  /** Ends the decision: the records differ from those that it was prepared on, or an input is not in memory. */
  stale(): never {
    throw new Interrupted(STALE);
  }

  putSession(session: Session): void {
    this.#put('session', session.sessionId, session, this.records.aggregates.get(session.sessionId)?.session);
    const aggregate =
      this.#aggregates.get(session.sessionId) ?? this.records.aggregates.get(session.sessionId);
    this.touched.bySession(aggregate?.session, session);
    this.#aggregates.set(
      session.sessionId,
      aggregate === undefined
        ? { session, completions: [], runs: [], inbox: [], outbox: [] }
        : { ...aggregate, session },
    );
  }

  putCompletion(completion: Completion): void {
    const same = (one: Completion) => one.generation === completion.generation;
    const loaded = this.records.aggregates.get(completion.sessionId)?.completions.find(same);
    this.#put('completion', contractResultKey(completion), completion, loaded);
    const aggregate = this.aggregate(completion.sessionId);
    this.touched.byCompletion(aggregate.completions.find(same), completion);
    this.#aggregates.set(completion.sessionId, {
      ...aggregate,
      completions: withRecord(aggregate.completions, completion, same),
    });
  }

  /** Ended runs leave the session aggregate. */
  putRun(run: Run): void {
    const same = (one: Run) => one.runId === run.runId;
    const aggregate = this.aggregate(run.sessionId);
    const loaded =
      this.records.aggregates.get(run.sessionId)?.runs.find(same) ?? this.records.runs.get(run.runId);
    this.#put('run', run.runId, run, loaded);
    this.touched.byRun(aggregate.runs.find(same), run);
    const ended = run.completedAt !== null;
    const runs = ended ? aggregate.runs.filter((one) => !same(one)) : withRecord(aggregate.runs, run, same);
    this.#aggregates.set(run.sessionId, { ...aggregate, runs });
  }

  putCallback(callback: Callback): void {
    const same = (one: Callback) => one.callbackId === callback.callbackId;
    const parent = this.aggregate(callback.parentSessionId);
    const child = this.aggregate(callback.childSessionId);
    const loaded =
      this.records.aggregates.get(callback.parentSessionId)?.inbox.findLast(same) ??
      this.records.aggregates.get(callback.childSessionId)?.outbox.find(same) ??
      this.records.callbacks.get(callback.callbackId);
    this.#put('callback', callback.callbackId, callback, loaded);
    this.touched.byCallback(parent.inbox.findLast(same), callback);
    this.#aggregates.set(callback.parentSessionId, {
      ...parent,
      inbox: withRecord(parent.inbox, callback, same),
    });
    this.#aggregates.set(callback.childSessionId, {
      ...child,
      outbox: withRecord(child.outbox, callback, same),
    });
  }

  putTree(tree: Tree): void {
    this.#put('tree', tree.rootSessionId, tree, this.records.trees.get(tree.rootSessionId));
    (this.#trees ??= new Map()).set(tree.rootSessionId, tree);
  }

  /** Puts a record of a kind that no other rule of the same decision reads again. */
  put<K extends 'schema' | 'state' | 'runner' | 'token' | 'webhook' | 'delivery' | 'destination'>(
    kind: K,
    record: MutableRecords[K],
    loaded: MutableRecords[K] | undefined,
  ): void {
    this.#put(kind, idOf({ put: kind, record } as Change), record, loaded);
  }

  /** Adds a record that is written once. Adding two records writes both. */
  append<K extends keyof ImmutableRecords>(kind: K, record: ImmutableRecords[K]): void {
    this.#changes.set(record, { put: kind, record } as Change);
  }

  remove(kind: Remove['remove'], id: string): void {
    this.#changes.set(`${kind}:${id}`, { remove: kind, id });
  }

  #put<K extends MutableKind>(
    kind: K,
    id: string,
    record: MutableRecords[K],
    loaded: MutableRecords[K] | undefined,
  ): void {
    const key = `${kind}:${id}`;
    if (loaded !== undefined) this.#before.set(key, loaded);
    this.#changes.set(key, { put: kind, record } as Change);
  }

  /** The changes so far, in their order, with the revisions that are written. */
  changes(): Change[] {
    return Array.from(this.#changes, ([key, change]) => this.#revised(key, change));
  }

  /** The changes so far without these, by keys. */
  get changesByKey(): ReadonlyMap<unknown, Change> {
    return this.#changes;
  }

  /** Each changed record as it was loaded, by the same keys. */
  get replacedByKey(): ReadonlyMap<unknown, MutableRecords[MutableKind]> {
    return this.#before;
  }

  /** The revision follows the loaded record's, however often the decision has put the record. */
  #revised(key: unknown, change: Change): Change {
    if (typeof key !== 'string' || !('put' in change)) return change;
    const revision = (this.#before.get(key)?.revision ?? 0) + 1;
    const { put, record } = change;
    if (!('revision' in record) || record.revision === revision) return change;
    return { put, record: Object.assign({ ...record }, { revision }) } as Change;
  }
}
