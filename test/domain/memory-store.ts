// The records of a service in memory, as the rules see them: loads aggregates and applies changesets as a store does, and
// throws where a changeset breaks what every store holds rules to. Compare src/store/sqlite/writes/loader.ts and loading.ts.
import type { Change, Changeset } from '../../src/domain/transactions/changeset.js';
import type {
  Decide,
  SessionAggregate,
  LoadedRecords,
  LoadRequest,
} from '../../src/domain/transactions/loaded-records.js';
import type { DomainEvent } from '../../src/domain/records/domain-event.js';
import type {
  Receipt,
  Callback,
  Completion,
  ReadCursor,
  Run,
  Runner,
  Session,
  StateEvent,
  StateHead,
  StateSnapshot,
  Token,
  Tree,
  Webhook,
  WebhookDelivery,
  WebhookDestination,
  WorkflowSchema,
} from '../../src/domain/records/records.js';
import type { Damage } from '../../src/domain/damage/damage.js';
import { isOpen } from '../../src/domain/completion/open-completions.js';
import { isHanded } from '../../src/domain/callbacks/pull.js';
import { hasEnded } from '../../src/domain/lifecycle/run.js';

/** Not more than a store allows: see `decisionRoundsMax`. */
const ROUNDS_MAX = 10;

/** Notices have no id of their own. */
let noticeCount = 0;

type Row = {
  readonly revision?: number;
  readonly stateId?: string | null;
  readonly kind?: string;
  readonly receiptId?: string;
};

const IDS: Readonly<Record<string, (record: any) => string>> = {
  schema: (one: WorkflowSchema) => one.schemaId,
  state: (one: StateHead) => one.stateId,
  session: (one: Session) => one.sessionId,
  completion: (one: Completion) => `${one.sessionId}#${one.generation}`,
  run: (one: Run) => one.runId,
  runner: (one: Runner) => one.runnerId,
  callback: (one: Callback) => one.callbackId,
  tree: (one: Tree) => one.rootSessionId,
  token: (one: Token) => one.tokenId,
  webhook: (one: Webhook) => one.webhookId,
  delivery: (one: WebhookDelivery) => one.deliveryId,
  destination: (one: WebhookDestination) => one.origin,
  event: (one: StateEvent) => `${one.stateId}@${one.version}`,
  snapshot: (one: StateSnapshot) => `${one.stateId}@${one.version}`,
  receipt: (one: Receipt) => one.receiptId,
  notice: (one: DomainEvent) => `${one.kind} ${one.subjectId} ${(noticeCount += 1)}`,
  readCursor: (one: ReadCursor) => `${one.stateId}#${one.sessionId}`,
};

/** Insertion order of each table is the order of its records: a replaced record keeps its place. */
export class MemoryStore {
  readonly schemas = new Map<string, WorkflowSchema>();
  readonly states = new Map<string, StateHead>();
  readonly sessions = new Map<string, Session>();
  readonly completions = new Map<string, Completion>();
  readonly runs = new Map<string, Run>();
  readonly runners = new Map<string, Runner>();
  readonly callbacks = new Map<string, Callback>();
  readonly trees = new Map<string, Tree>();
  readonly tokens = new Map<string, Token>();
  readonly webhooks = new Map<string, Webhook>();
  readonly deliveries = new Map<string, WebhookDelivery>();
  readonly destinations = new Map<string, WebhookDestination>();
  readonly events = new Map<string, StateEvent>();
  readonly snapshots = new Map<string, StateSnapshot>();
  readonly notices = new Map<string, DomainEvent>();
  readonly readCursors = new Map<string, ReadCursor>();
  readonly receipts = new Map<string, Receipt>();

  /** What a request `repaired` repairs. */
  repaired: readonly Damage[] = [];
  /** Every changeset that was not empty, oldest first. */
  readonly written: Changeset[] = [];
  /** Hears of each of them, once it is written. */
  heard: ((changes: Changeset) => void) | null = null;

  /** Loads, decides, writes. What `decide` throws, nothing is written of. */
  transact<T>(loads: readonly LoadRequest[], decide: Decide<T>): T {
    const loaded = new Loader(this);
    for (const request of loads) loaded.request(request);
    for (let round = 0; round < ROUNDS_MAX; round += 1) {
      const decision = decide(loaded);
      if (!('more' in decision)) {
        this.apply(decision.changes);
        return decision.value;
      }
      for (const request of decision.more) loaded.request(request);
    }
    throw new Error(`a decision asked for more records ${ROUNDS_MAX} times`);
  }

  load(loads: readonly LoadRequest[]): LoadedRecords {
    const loader = new Loader(this);
    for (const request of loads) loader.request(request);
    return loader;
  }

  apply(changes: Changeset): void {
    if (changes.length === 0) return;
    const keys = changes.map(keyOf);
    if (new Set(keys).size < keys.length)
      throw new Error(`a record stands twice in a changeset: ${keys.join(' ')}`);
    for (const change of changes) this.check(change);
    for (const change of changes) this.put(change);
    this.written.push(changes);
    this.checkUnique();
    this.heard?.(changes);
  }

  private check(change: Change): void {
    if ('remove' in change) {
      if (!this.table(change.remove).has(change.id)) throw new Error(`${keyOf(change)} is not there`);
      return;
    }
    const before = this.table(change.put).get(idOf(change));
    if ('revision' in change.record) {
      if (change.record.revision !== (before?.revision ?? 0) + 1) {
        throw new Error(
          `${keyOf(change)}: revision ${change.record.revision} on top of ${before?.revision ?? 0}`,
        );
      }
    } else if (before !== undefined && change.put !== 'readCursor') {
      throw new Error(`${keyOf(change)} is written twice`);
    }
  }

  private put(change: Change): void {
    if ('put' in change) {
      this.table(change.put).set(idOf(change), change.record);
      return;
    }
    this.table(change.remove).delete(change.id);
    if (change.remove === 'webhook') {
      for (const [id, one] of this.deliveries) if (one.webhookId === change.id) this.deliveries.delete(id);
    }
    if (change.remove !== 'state') return;
    for (const table of [this.events, this.snapshots, this.readCursors]) {
      for (const [id, record] of table) if (record.stateId === change.id) table.delete(id);
    }
  }

  private checkUnique(): void {
    const names = [...this.sessions.values()].filter((one) => one.deletedAt === null);
    if (new Set(names.map((one) => one.sessionName)).size < names.length)
      throw new Error('a session name twice');
    const delivered = [...this.callbacks.values()].map(
      (one) => `${one.childSessionId}#${one.childGeneration}`,
    );
    if (new Set(delivered).size < delivered.length) throw new Error('a callback twice for one completion');
  }

  private table(kind: keyof typeof IDS): Map<string, Row> {
    return (this as unknown as Record<string, Map<string, Row>>)[TABLES[kind] as string]!;
  }

  aggregate(sessionId: string): SessionAggregate | undefined {
    const session = this.sessions.get(sessionId);
    if (session === undefined) return undefined;
    const since = session.generation;
    const runs = [...this.runs.values()].filter((one) => one.sessionId === sessionId && !hasEnded(one));
    const unfinished = new Set(runs.map((one) => one.runId));
    const callbacks = [...this.callbacks.values()];
    return {
      session,
      completions: [...this.completions.values()]
        .filter((one) => one.sessionId === sessionId && one.generation >= since)
        .sort((a, b) => a.generation - b.generation),
      runs,
      inbox: callbacks.filter(
        (one) =>
          one.parentSessionId === sessionId &&
          (one.status === 'held' ||
            one.status === 'queued' ||
            (one.status === 'delivered' && one.runId !== null && unfinished.has(one.runId))),
      ),
      outbox: callbacks
        .filter((one) => one.childSessionId === sessionId && one.childGeneration >= since)
        .sort((a, b) => a.childGeneration - b.childGeneration),
    };
  }

  /** Narrows down to what waits, and no further: the rest is for the rule. */
  claimable(want: LoadRequest & { load: 'claimable' }): readonly Run[] {
    return [...this.runs.values()].filter((run) => run.status === 'pending').slice(0, want.runsMax);
  }

  /** Runs and completions whose time has come, most overdue first. */
  due(now: number): readonly ({ kind: 'run'; runId: string } | { kind: 'completion'; sessionId: string })[] {
    const runs = [...this.runs.values()].map((one) => ({
      kind: 'run' as const,
      runId: one.runId,
      at: one.dueAt,
    }));
    const completions = [...this.completions.values()].map((one) => ({
      kind: 'completion' as const,
      sessionId: one.sessionId,
      at: one.dueAt,
    }));
    return [...runs, ...completions]
      .filter((one) => one.at !== null && one.at <= now)
      .sort((a, b) => (a.at ?? 0) - (b.at ?? 0));
  }

  /** When something happens by itself after `now`; `null` where nothing will. */
  nextDueAt(now: number): number | null {
    const times = [
      ...[...this.runs.values()].flatMap((one) => [
        one.dueAt,
        one.status === 'pending' ? one.availableAt : null,
      ]),
      ...[...this.completions.values()].map((one) => one.dueAt),
    ].filter((at): at is number => at !== null && at > now);
    return times.length === 0 ? null : Math.min(...times);
  }
}

const TABLES: Readonly<Record<string, keyof MemoryStore>> = {
  schema: 'schemas',
  state: 'states',
  session: 'sessions',
  completion: 'completions',
  run: 'runs',
  runner: 'runners',
  callback: 'callbacks',
  tree: 'trees',
  token: 'tokens',
  webhook: 'webhooks',
  delivery: 'deliveries',
  destination: 'destinations',
  event: 'events',
  snapshot: 'snapshots',
  notice: 'notices',
  readCursor: 'readCursors',
  receipt: 'receipts',
};

function idOf(change: Change): string {
  return 'remove' in change ? change.id : IDS[change.put]!(change.record);
}

function keyOf(change: Change): string {
  return `${'remove' in change ? change.remove : change.put}:${idOf(change)}`;
}

/** Loaded records that grow with every load request; made anew for each round, so that nothing of it can be kept. */
class Loader implements LoadedRecords {
  readonly trees = new Map<string, Tree>();
  readonly aggregates = new Map<string, SessionAggregate>();
  readonly states = new Map<string, StateHead>();
  readonly runs = new Map<string, Run>();
  repaired: readonly Damage[] = [];
  claimable: readonly Run[] = [];
  readonly runners = new Map<string, Runner>();
  readonly callbacks = new Map<string, Callback>();
  readonly sessionIds = new Map<string, string>();
  readonly receipts = new Map<string, Receipt>();
  readonly schemas = new Map<string, WorkflowSchema>();
  readonly schemaUses = new Map<string, number>();
  readonly schemaNames = new Map<string, string>();
  readonly sessionCounts = new Map<string, number>();
  readonly schemasOwned = new Map<string, number>();
  readonly tokens = new Map<string, Token>();
  readonly webhooks = new Map<string, Webhook>();
  readonly deliveries = new Map<string, WebhookDelivery>();
  readonly destinations = new Map<string, WebhookDestination>();

  constructor(private readonly store: MemoryStore) {}

  request(request: LoadRequest): void {
    switch (request.load) {
      case 'aggregate':
        this.aggregate(request.sessionId);
        return;
      case 'aggregateNamed':
        this.named(request.idOrName);
        return;
      case 'openAggregates':
        this.tree(request.rootSessionId);
        for (const one of this.store.completions.values()) {
          const present = this.store.sessions.get(one.sessionId)?.generation === one.generation;
          if (one.rootSessionId === request.rootSessionId && present && isOpen(one))
            this.aggregate(one.sessionId);
        }
        return;
      case 'run': {
        const run = this.store.runs.get(request.runId);
        copy(this.runs, request.runId, run);
        if (run !== undefined) this.aggregate(run.sessionId);
        return;
      }
      case 'callback': {
        const callback = this.store.callbacks.get(request.callbackId);
        copy(this.callbacks, request.callbackId, callback);
        if (callback === undefined) return;
        this.aggregate(callback.parentSessionId);
        this.aggregate(callback.childSessionId);
        return;
      }
      case 'handed':
        for (const one of [...this.store.callbacks.values()]
          .filter((each) => each.parentSessionId === request.sessionId && isHanded(each))
          .slice(0, request.callbacksMax))
          this.callbacks.set(one.callbackId, one);
        return;
      case 'repaired':
        this.repaired = this.store.repaired;
        return;
      case 'runner':
        copy(this.runners, request.runnerId, this.store.runners.get(request.runnerId));
        return;
      case 'receipt':
        copy(this.receipts, request.receiptId, this.store.receipts.get(request.receiptId));
        return;
      case 'treeState': {
        this.tree(request.rootSessionId);
        const stateId = this.trees.get(request.rootSessionId)?.stateId;
        if (stateId != null) copy(this.states, stateId, this.store.states.get(stateId));
        return;
      }
      case 'state': {
        const head = this.store.states.get(request.stateId);
        copy(this.states, request.stateId, head);
        if (head !== undefined) this.tree(head.rootSessionId);
        return;
      }
      case 'schemaName': {
        const named = [...this.store.schemas.values()].filter((one) => one.name === request.name);
        const newest = named.reduce<WorkflowSchema | undefined>(
          (best, one) => (best === undefined || one.version > best.version ? one : best),
          undefined,
        );
        const same = named.find((one) => one.hash === request.hash);
        for (const one of [newest, same]) if (one !== undefined) this.schemas.set(one.schemaId, one);
        return;
      }
      case 'sessionCount': {
        const sessions = [...this.store.sessions.values()].filter(
          (one) => one.rootSessionId === request.rootSessionId,
        );
        this.sessionCounts.set(request.rootSessionId, sessions.length);
        return;
      }
      case 'schemasOwned': {
        const owned = [...this.store.schemas.values()].filter(
          (one) => one.ownerRootSessionId === request.rootSessionId,
        );
        this.schemasOwned.set(request.rootSessionId, owned.length);
        return;
      }
      case 'schemaVersion': {
        const schema = [...this.store.schemas.values()].find(
          (one) => one.name === request.name && one.version === request.version,
        );
        if (schema === undefined) return;
        this.schemas.set(schema.schemaId, schema);
        const { schemaId } = schema;
        const states = [...this.store.states.values()].filter((one) => one.schemaId === schemaId);
        const events = [...this.store.events.values()].filter((one) => one.fromSchemaId === schemaId);
        this.schemaUses.set(schemaId, new Set([...states, ...events].map((one) => one.stateId)).size);
        return;
      }
      case 'schemaOf':
        copy(this.schemaNames, request.schemaId, this.store.schemas.get(request.schemaId)?.name);
        return;
      case 'tokens':
        for (const [id, one] of this.store.tokens) this.tokens.set(id, one);
        return;
      case 'webhooks':
        for (const [id, one] of this.store.webhooks) this.webhooks.set(id, one);
        return;
      case 'delivery': {
        const delivery = this.store.deliveries.get(request.deliveryId);
        copy(this.deliveries, request.deliveryId, delivery);
        if (delivery === undefined) return;
        copy(this.webhooks, delivery.webhookId ?? '', this.store.webhooks.get(delivery.webhookId ?? ''));
        copy(this.destinations, delivery.origin, this.store.destinations.get(delivery.origin));
        return;
      }
      case 'claimable':
        this.claimable = this.store.claimable(request);
    }
  }

  /** A session and its ancestors, and the tree. */
  private aggregate(sessionId: string): void {
    let next: string | null = sessionId;
    while (next !== null && !this.aggregates.has(next)) {
      const aggregate = this.store.aggregate(next);
      if (aggregate === undefined) return;
      this.aggregates.set(next, aggregate);
      this.tree(aggregate.session.rootSessionId);
      next = aggregate.session.parentSessionId;
    }
  }

  /** The id wins over the name; a deleted session gives its name away. */
  private named(idOrName: string): void {
    this.aggregate(idOrName);
    const byName = [...this.store.sessions.values()].find(
      (one) => one.sessionName === idOrName && one.deletedAt === null,
    );
    const found = this.aggregates.get(idOrName)?.session.deletedAt === null ? idOrName : byName?.sessionId;
    if (found === undefined) return;
    this.aggregate(found);
    this.sessionIds.set(idOrName, found);
  }

  private tree(rootSessionId: string): void {
    copy(this.trees, rootSessionId, this.store.trees.get(rootSessionId));
  }
}

function copy<T>(map: Map<string, T>, id: string, record: T | undefined): void {
  if (record !== undefined) map.set(id, record);
}
