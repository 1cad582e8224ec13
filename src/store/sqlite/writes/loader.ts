// Loads the records for one decision. Synchronous: it runs in the transaction that also writes.
import { missing, RecordDamagedError } from '../../../domain/damage/damage.js';
import type { SessionAggregate, LoadRequest } from '../../../domain/transactions/loaded-records.js';
import type { Run, WorkflowSchema } from '../../../domain/records/records.js';
import type { SessionAggregates } from './session-aggregates.js';
import type { Heads } from './heads.js';
import type { Loading } from './loading.js';
import type { RecordRepair } from './record-repair.js';
import { putIntact as put, RecordMaps } from '../../record-maps.js';
import { isIntact, intact, type OnDamage } from '../../rows/intact-rows.js';

/** The sources of records. */
export interface LoaderParts {
  readonly loading: Loading;
  readonly aggregates: SessionAggregates;
  readonly heads: Heads;
  readonly repair: RecordRepair;
  /** Called for each damaged record that is left out. */
  readonly onDamage: OnDamage;
}

/** Loaded records, extended by each load request. */
export class Loader extends RecordMaps {
  readonly #loading: Loading;
  readonly #cache: SessionAggregates;
  readonly #heads: Heads;
  readonly #repair: RecordRepair;
  readonly #onDamage: OnDamage;

  constructor({ loading, aggregates: cache, heads, repair, onDamage }: LoaderParts) {
    super();
    this.#loading = loading;
    this.#cache = cache;
    this.#heads = heads;
    this.#repair = repair;
    this.#onDamage = onDamage;
  }

  load(loads: readonly LoadRequest[]): void {
    for (const request of loads) this.#loadOne(request);
  }

  #loadOne(request: LoadRequest): void {
    switch (request.load) {
      case 'aggregate':
        this.#loadAggregate(request.sessionId);
        return;
      case 'aggregateNamed':
        this.#loadNamed(request.idOrName);
        return;
      case 'openAggregates':
        this.#loadTree(request.rootSessionId);
        for (const row of this.#loading.openSessionIds.all({ id: request.rootSessionId }))
          this.#loadIfIntact(row.sessionId);
        return;
      case 'run':
        this.#loadRun(request.runId);
        return;
      case 'callback':
        this.#loadCallback(request.callbackId);
        return;
      case 'handed':
        for (const one of this.#loading.handed.all({ id: request.sessionId, ...request }))
          this.callbacks.set(one.callbackId, intact('callback', one));
        return;
      case 'runner':
        this.#loadRunner(request.runnerId);
        return;
      case 'treeState':
        this.#loadTreeState(request.rootSessionId);
        return;
      case 'state':
        this.#loadState(request.stateId);
        return;
      case 'receipt':
        put(
          'receipt',
          this.receipts,
          request.receiptId,
          this.#loading.receipt.get({ id: request.receiptId, root: request.rootSessionId }),
        );
        return;
      case 'schemaName':
        this.#addSchema(this.#loading.newestSchema.get({ id: request.name }));
        this.#addSchema(this.#loading.schemaByHash.get({ id: request.name, hash: request.hash }));
        return;
      case 'sessionCount':
        this.sessionCounts.set(request.rootSessionId, this.#cache.countOf(request.rootSessionId));
        return;
      case 'schemasOwned':
        this.schemasOwned.set(
          request.rootSessionId,
          this.#loading.schemasOwned.get({ id: request.rootSessionId })?.versions ?? 0,
        );
        return;
      case 'schemaVersion':
        this.#loadSchemaVersion(request.name, request.version);
        return;
      case 'schemaOf':
        for (const { name } of this.#loading.schemaName.all({ id: request.schemaId }))
          this.schemaNames.set(request.schemaId, name);
        return;
      case 'repaired':
        this.repaired = [...this.repaired, ...this.#repair.write(request)];
        this.#cache.clear();
        this.#heads.clear();
        return;
      case 'tokens':
        for (const one of this.#loading.tokens.all())
          if (isIntact('token', one, this.#onDamage)) this.tokens.set(one.tokenId, one);
        return;
      case 'webhooks':
        for (const one of this.#loading.webhooks.all())
          this.webhooks.set(one.webhookId, intact('webhook', one));
        return;
      case 'delivery':
        this.#loadDelivery(request.deliveryId);
        return;
      case 'claimable':
        this.claimable = this.#claimable(request);
        return;
    }
  }

  /** Damaged runs are left out. Reporting them leads to their being set aside. */
  #claimable(request: Extract<LoadRequest, { load: 'claimable' }>): readonly Run[] {
    const { now, hostname, executorTypes, tags, runsMax, onlySound } = request;
    const found = this.#loading.claimable.all({
      now,
      hostname,
      executorTypes: JSON.stringify(executorTypes),
      tags: JSON.stringify(tags),
      runsMax,
    });
    return found.filter(
      (run) => isIntact('run', run, this.#onDamage) && (!onlySound || this.#hasIntactAggregate(run)),
    );
  }

  #hasIntactAggregate({ runId, sessionId, rootSessionId }: Run): boolean {
    try {
      this.#loadAggregate(sessionId);
      if (!this.aggregates.has(sessionId)) throw missing('session', sessionId);
      return true;
    } catch (error) {
      if (!(error instanceof RecordDamagedError)) throw error;
      const what = `cannot be handed out: ${error.message}`;
      this.#onDamage({ kind: 'run', id: runId, column: null, what, rootSessionId });
      return false;
    }
  }

  /** Loads a session and its ancestors. Sessions that are already loaded have theirs too. */
  #loadAggregate(sessionId: string): void {
    const found = new Map<string, SessionAggregate>();
    let next: string | null = sessionId;
    while (next !== null && !this.aggregates.has(next) && !found.has(next)) {
      const aggregate: SessionAggregate | undefined = this.#cache.get(next);
      if (aggregate === undefined) break;
      found.set(next, aggregate);
      this.#loadTree(aggregate.session.rootSessionId);
      next = aggregate.session.parentSessionId;
    }
    // Only now: if one of them is damaged, none is loaded.
    for (const [id, aggregate] of found) this.aggregates.set(id, aggregate);
  }

  /** Reports a session with a damaged record and leaves it out, so that it does not stop the others of its tree. */
  #loadIfIntact(sessionId: string): void {
    try {
      this.#loadAggregate(sessionId);
    } catch (error) {
      if (!(error instanceof RecordDamagedError)) throw error;
      this.#onDamage(error.damage);
    }
  }

  /** A damaged runner counts as missing: it registers anew. */
  #loadRunner(runnerId: string): void {
    const runner = this.#loading.runner.get({ id: runnerId });
    if (runner !== undefined && isIntact('runner', runner, this.#onDamage))
      this.runners.set(runnerId, runner);
  }

  /** The id has priority over the name. A deleted session releases its name, but never its id. */
  #loadNamed(idOrName: string): void {
    const known = this.#cache.knownId(idOrName);
    if (known !== undefined) {
      this.#loadAggregate(known);
      this.sessionIds.set(idOrName, known);
      return;
    }
    this.#loadAggregate(idOrName);
    const byId = this.aggregates.get(idOrName);
    if (byId?.session.deletedAt === null) {
      this.sessionIds.set(idOrName, idOrName);
      return;
    }
    const named = this.#loading.sessionIdByName.get({ id: idOrName });
    if (named === undefined) return;
    this.#loadAggregate(named.sessionId);
    // A decision that is not on disk may have deleted it.
    if (this.aggregates.get(named.sessionId)?.session.deletedAt === null)
      this.sessionIds.set(idOrName, named.sessionId);
  }

  #loadTree(rootSessionId: string): void {
    if (!this.trees.has(rootSessionId))
      put('tree', this.trees, rootSessionId, this.#heads.tree(rootSessionId));
  }

  #loadRun(runId: string): void {
    const run = this.#loading.run.get({ id: runId });
    if (run === undefined) return;
    this.runs.set(runId, intact('run', run));
    this.#loadAggregate(run.sessionId);
  }

  #loadCallback(callbackId: string): void {
    const callback = this.#loading.callback.get({ id: callbackId });
    if (callback === undefined) return;
    this.callbacks.set(callbackId, intact('callback', callback));
    this.#loadAggregate(callback.parentSessionId);
    this.#loadAggregate(callback.childSessionId);
  }

  #loadDelivery(deliveryId: string): void {
    const delivery = this.#loading.delivery.get({ id: deliveryId });
    if (delivery === undefined) return;
    const { webhookId, origin } = delivery;
    this.deliveries.set(deliveryId, intact('delivery', delivery));
    if (webhookId !== null)
      put('webhook', this.webhooks, webhookId, this.#loading.webhook.get({ id: webhookId }));
    put('destination', this.destinations, origin, this.#loading.destination.get({ id: origin }));
  }

  /** A rule that needs a damaged head requests it, and fails. */
  #loadTreeState(rootSessionId: string): void {
    try {
      this.#loadTree(rootSessionId);
      const stateId = this.trees.get(rootSessionId)?.stateId;
      if (stateId != null) this.#loadState(stateId);
    } catch (error) {
      if (!(error instanceof RecordDamagedError)) throw error;
    }
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
    this.schemas.set(schema.schemaId, intact('schema', schema));
    this.schemaUses.set(schema.schemaId, this.#loading.schemaUses.get({ id: schema.schemaId })?.uses ?? 0);
  }

  #addSchema(schema: WorkflowSchema | undefined): void {
    if (schema !== undefined) this.schemas.set(schema.schemaId, intact('schema', schema));
  }
}
