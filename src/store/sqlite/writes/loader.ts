// Loads the records for one decision. Synchronous: it runs in the transaction that also writes.
import { RecordDamagedError, type Damage, type RecordKind } from '../../../domain/damage/damage.js';
import type {
  SessionAggregate,
  LoadedRecords,
  LoadRequest,
} from '../../../domain/transactions/loaded-records.js';
import type { Receipt } from '../../../domain/transactions/idempotency.js';
import type {
  Callback,
  Run,
  Runner,
  StateHead,
  Token,
  Tree,
  Webhook,
  WebhookDelivery,
  WebhookDestination,
  WorkflowSchema,
} from '../../../domain/records/records.js';
import type { Desks } from './session-aggregates.js';
import type { Heads } from './heads.js';
import type { Loading } from './loading.js';
import type { Mender } from './mender.js';
import { isSound, sound, type OnDamage } from '../reads/sound.js';

/** The sources of records. */
export interface LoaderParts {
  readonly loading: Loading;
  readonly desks: Desks;
  readonly heads: Heads;
  readonly mender: Mender;
  /** Called for each damaged record that is left out. */
  readonly onDamage: OnDamage;
}

/** Loaded records, extended by each load request. */
export class Loader implements LoadedRecords {
  readonly trees = new Map<string, Tree>();
  readonly desks = new Map<string, SessionAggregate>();
  readonly states = new Map<string, StateHead>();
  readonly runs = new Map<string, Run>();
  mended: readonly Damage[] = [];
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

  readonly #loading: Loading;
  readonly #kept: Desks;
  readonly #heads: Heads;
  readonly #mender: Mender;
  readonly #onDamage: OnDamage;

  constructor({ loading, desks: kept, heads, mender, onDamage }: LoaderParts) {
    this.#loading = loading;
    this.#kept = kept;
    this.#heads = heads;
    this.#mender = mender;
    this.#onDamage = onDamage;
  }

  load(wants: readonly LoadRequest[]): void {
    for (const want of wants) this.#loadWant(want);
  }

  #loadWant(want: LoadRequest): void {
    switch (want.want) {
      case 'desk':
        this.#loadDesk(want.sessionId);
        return;
      case 'deskNamed':
        this.#loadNamed(want.idOrName);
        return;
      case 'openDesks':
        this.#loadTree(want.rootSessionId);
        for (const row of this.#loading.openSessionIds.all({ id: want.rootSessionId }))
          this.#loadDesk(row.sessionId);
        return;
      case 'run':
        this.#loadRun(want.runId);
        return;
      case 'callback':
        this.#loadCallback(want.callbackId);
        return;
      case 'handed':
        for (const one of this.#loading.handed.all({ id: want.sessionId, callbacksMax: want.callbacksMax }))
          this.callbacks.set(one.callbackId, sound('callback', one));
        return;
      case 'runner':
        put('runner', this.runners, want.runnerId, this.#loading.runner.get({ id: want.runnerId }));
        return;
      case 'state':
        this.#loadState(want.stateId);
        return;
      case 'receipt':
        put('receipt', this.receipts, want.receiptId, this.#loading.receipt.get({ id: want.receiptId }));
        return;
      case 'schemaName':
        this.#addSchema(this.#loading.newestSchema.get({ id: want.name }));
        this.#addSchema(this.#loading.schemaByHash.get({ id: want.name, hash: want.hash }));
        return;
      case 'sessionCount':
        this.sessionCounts.set(
          want.rootSessionId,
          this.#loading.sessionCount.get({ id: want.rootSessionId })?.sessions ?? 0,
        );
        return;
      case 'schemasOwned':
        this.schemasOwned.set(
          want.rootSessionId,
          this.#loading.schemasOwned.get({ id: want.rootSessionId })?.versions ?? 0,
        );
        return;
      case 'schemaVersion':
        this.#loadSchemaVersion(want.name, want.version);
        return;
      case 'schemaOf':
        this.#loadSchemaName(want.schemaId);
        return;
      case 'mended':
        this.mended = [...this.mended, ...this.#mender.mend(want.kind, want.id, want.now)];
        this.#kept.clear();
        this.#heads.clear();
        return;
      case 'tokens':
        for (const one of this.#loading.tokens.all())
          if (isSound('token', one, this.#onDamage)) this.tokens.set(one.tokenId, one);
        return;
      case 'webhooks':
        for (const one of this.#loading.webhooks.all())
          this.webhooks.set(one.webhookId, sound('webhook', one));
        return;
      case 'delivery':
        this.#loadDelivery(want.deliveryId);
        return;
      case 'claimable':
        this.claimable = this.#claimable(want);
        return;
    }
  }

  /** Damaged runs are left out. Reporting them leads to their being put aside. */
  #claimable(want: Extract<LoadRequest, { want: 'claimable' }>): readonly Run[] {
    const { now, hostname, executorTypes, tags, runsMax, onlySound } = want;
    const found = this.#loading.claimable.all({
      now,
      hostname,
      executorTypes: JSON.stringify(executorTypes),
      tags: JSON.stringify(tags),
      runsMax,
    });
    return found.filter(
      (run) => isSound('run', run, this.#onDamage) && (!onlySound || this.#hasSoundDesk(run)),
    );
  }

  #hasSoundDesk({ runId, sessionId, rootSessionId }: Run): boolean {
    try {
      this.#loadDesk(sessionId);
      return true;
    } catch (error) {
      if (!(error instanceof RecordDamagedError)) throw error;
      const what = `cannot be handed out: ${error.message}`;
      this.#onDamage({ kind: 'run', id: runId, column: null, what, rootSessionId });
      return false;
    }
  }

  /** Loads a session and its ancestors. Sessions that are already loaded have theirs too. */
  #loadDesk(sessionId: string): void {
    let next: string | null = sessionId;
    while (next !== null && !this.desks.has(next)) {
      const desk: SessionAggregate | undefined = this.#kept.get(next);
      if (desk === undefined) return;
      this.desks.set(next, desk);
      this.#loadTree(desk.session.rootSessionId);
      next = desk.session.parentSessionId;
    }
  }

  /** The id has priority over the name. A deleted session releases its name, but never its id. */
  #loadNamed(idOrName: string): void {
    this.#loadDesk(idOrName);
    const byId = this.desks.get(idOrName);
    if (byId?.session.deletedAt === null) {
      this.sessionIds.set(idOrName, idOrName);
      return;
    }
    const named = this.#loading.sessionIdByName.get({ id: idOrName });
    if (named === undefined) return;
    this.#loadDesk(named.sessionId);
    this.sessionIds.set(idOrName, named.sessionId);
  }

  #loadTree(rootSessionId: string): void {
    if (!this.trees.has(rootSessionId))
      put('tree', this.trees, rootSessionId, this.#heads.tree(rootSessionId));
  }

  #loadRun(runId: string): void {
    const run = this.#loading.run.get({ id: runId });
    if (run === undefined) return;
    this.runs.set(runId, sound('run', run));
    this.#loadDesk(run.sessionId);
  }

  #loadCallback(callbackId: string): void {
    const callback = this.#loading.callback.get({ id: callbackId });
    if (callback === undefined) return;
    this.callbacks.set(callbackId, sound('callback', callback));
    this.#loadDesk(callback.parentSessionId);
    this.#loadDesk(callback.childSessionId);
  }

  #loadDelivery(deliveryId: string): void {
    const delivery = this.#loading.delivery.get({ id: deliveryId });
    if (delivery === undefined) return;
    const { webhookId, origin } = delivery;
    this.deliveries.set(deliveryId, sound('delivery', delivery));
    if (webhookId !== null)
      put('webhook', this.webhooks, webhookId, this.#loading.webhook.get({ id: webhookId }));
    put('destination', this.destinations, origin, this.#loading.destination.get({ id: origin }));
  }

  #loadState(stateId: string): void {
    const head = this.#heads.head(stateId);
    if (head === undefined) return;
    this.states.set(stateId, head);
    this.#loadTree(head.rootSessionId);
  }

  #loadSchemaVersion(name: string, version: number): void {
    const schema = this.#loading.schemaVersion.get({ id: name, version });
    if (schema === undefined) return;
    this.schemas.set(schema.schemaId, sound('schema', schema));
    this.schemaUses.set(schema.schemaId, this.#loading.schemaUses.get({ id: schema.schemaId })?.uses ?? 0);
  }

  #loadSchemaName(schemaId: string): void {
    const found = this.#loading.schemaName.get({ id: schemaId });
    if (found !== undefined) this.schemaNames.set(schemaId, found.name);
  }

  #addSchema(schema: WorkflowSchema | undefined): void {
    if (schema !== undefined) this.schemas.set(schema.schemaId, sound('schema', schema));
  }
}

function put<T extends object>(
  kind: RecordKind,
  map: Map<string, T>,
  id: string,
  record: T | undefined,
): void {
  if (record !== undefined) map.set(id, sound(kind, record));
}
