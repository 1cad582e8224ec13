// Loads the records for one decision, in the transaction that also writes.
import { missing, RecordDamagedError } from '../../../../domain/damage/damage.js';
import type { LoadRequest, SessionAggregate } from '../../../../domain/transactions/loaded-records.js';
import { allOf } from '../../../../lib/all-of.js';
import { putIntact as put, RecordMaps } from '../../../record-maps.js';
import type { Receipt, ReceiptKey, Run } from '../../../../domain/records/records.js';
import { first } from '../../connection/db.js';
import { isOfAborted } from '../../connection/faults.js';
import { readable } from '../../tables/stored-text.js';
import type { Caches } from './caches.js';
import { loadSchemas } from './load-schemas.js';
import type { Loading } from './loading.js';
import type { RecordRepair } from '../record-repair.js';
import { mayBeSessionId } from '../../../../domain/session-ids.js';
import { isIntact, intact, type OnDamage } from '../../../rows/intact-rows.js';

/** The sources of records. */
interface LoaderParts {
  /** Writes what the decisions before have changed, and returns the statements, which then find it. */
  readonly loading: () => Promise<Loading>;
  /** The id of the session that had a name when the transaction began, or a moment later. */
  readonly idOf: (name: string) => Promise<string | undefined>;
  /** The idempotency record with an id, if it was looked up when the transaction began; else `null`. */
  readonly receiptOf: (id: string) => { readonly receipt: Receipt | undefined } | null;
  readonly caches: Caches;
  readonly repair: () => RecordRepair;
  /** Locks what the records of load requests belong to, before they are loaded. @returns The keys that it cannot lock. */
  readonly lock: (loads: readonly LoadRequest[]) => Promise<readonly string[]>;
  /** The tree of a record that a load request names; `undefined` if there is no such record. */
  readonly rootOf: (load: LoadRequest) => Promise<string | undefined>;
  /** Counts a commit of trees that a statement of this transaction has locked. As `lock`. */
  readonly hold: (rootSessionIds: readonly string[]) => Promise<readonly string[]>;
  /** Records were repaired: nothing that is cached of them is current. */
  readonly onRepaired: () => void;
  /** Called for each damaged record that is left out. */
  readonly onDamage: OnDamage;
}

/** Loaded records, extended by each load request. */
export class Loader extends RecordMaps {
  readonly #parts: LoaderParts;
  /** The keys with which the request has to be made again. With some, what it has loaded is not complete. */
  needs: readonly string[] = [];

  constructor(parts: LoaderParts) {
    super();
    this.#parts = parts;
  }

  async load(loads: readonly LoadRequest[]): Promise<void> {
    if (!this.#has(await this.#parts.lock(loads))) return;
    // Statements that do not need each other cost one round trip.
    if (loads.some(({ load }) => load === 'repaired')) for (const one of loads) await this.#loadOne(one);
    else await allOf(loads.map(this.#loadOne), isOfAborted);
  }

  /** @param needed - The keys that could not be locked. */
  #has(needed: readonly string[]): boolean {
    this.needs = [...this.needs, ...needed];
    return needed.length === 0;
  }

  readonly #loadOne = async (request: LoadRequest): Promise<void> => {
    const { caches, loading, repair, rootOf, onRepaired, onDamage } = this.#parts;
    switch (request.load) {
      case 'aggregate':
        await this.#loadAggregate(request.sessionId, await rootOf(request));
        return;
      case 'aggregateNamed':
        await this.#loadNamed(request.idOrName);
        return;
      case 'openAggregates':
        await this.#loadTree(request.rootSessionId);
        for (const row of await (await loading()).openSessionIds.execute({ id: request.rootSessionId }))
          await this.#loadIfIntact(row.sessionId, request.rootSessionId);
        return;
      case 'run':
        await this.#loadRun(request.runId);
        return;
      case 'callback':
        await this.#loadCallback(request.callbackId);
        return;
      case 'handed':
        await this.#loadHanded(request.sessionId, request.callbacksMax);
        return;
      case 'runner':
        // A damaged one counts as missing: it registers anew.
        for (const one of await (await loading()).runner.execute({ id: request.runnerId }))
          if (isIntact('runner', one, onDamage)) this.runners.set(one.runnerId, one);
        return;
      case 'treeState':
        await this.#loadTreeState(request.rootSessionId);
        return;
      case 'state':
        await this.#loadState(request.stateId, await rootOf(request));
        return;
      case 'receipt':
        put('receipt', this.receipts, request.receiptId, await this.#receiptOf(request));
        return;
      case 'sessionCount':
        this.sessionCounts.set(
          request.rootSessionId,
          await caches.sessionCounts.of(request.rootSessionId, loading),
        );
        return;
      case 'schemaName':
      case 'schemaVersion':
      case 'schemaOf':
      case 'schemasOwned':
        await loadSchemas(request, await loading(), this);
        return;
      case 'repaired':
        this.repaired = [...this.repaired, ...(await repair().write(request))];
        onRepaired();
        return;
      case 'tokens':
        for (const one of await (await loading()).tokens.execute())
          if (isIntact('token', one, onDamage)) this.tokens.set(one.tokenId, one);
        return;
      case 'webhooks':
        for (const one of await (await loading()).webhooks.execute())
          this.webhooks.set(one.webhookId, intact('webhook', one));
        return;
      case 'delivery':
        await this.#loadDelivery(request.deliveryId);
        return;
      case 'claimable':
        this.claimable = await this.#claimable(request);
        return;
    }
  };

  async #receiptOf({ receiptId: id, rootSessionId: root }: ReceiptKey): Promise<Receipt | undefined> {
    const known = this.#parts.receiptOf(id);
    if (known !== null) return known.receipt;
    return first((await this.#parts.loading()).receipt.execute({ id, root }));
  }

  /** Damaged runs are left out. Reporting them leads to their being set aside. */
  async #claimable(request: Extract<LoadRequest, { load: 'claimable' }>): Promise<readonly Run[]> {
    const { now, hostname, executorTypes, tags, runsMax, claimsMax, onlySound } = request;
    const loading = await this.#parts.loading();
    const rows = await loading.claimable.execute({
      now,
      hostname: readable(hostname),
      executorTypes: JSON.stringify(executorTypes.map(readable)),
      tags: JSON.stringify(tags.map(readable)),
      runsMax,
      claimsMax,
    });
    const found = rows.map(({ isLocked, ...run }) => ({ run, isLocked }));
    const held = found.flatMap(({ run, isLocked }) => (isLocked ? [run.rootSessionId] : []));
    if (!this.#has(await this.#parts.hold(held))) return [];
    const claimable: Run[] = [];
    for (const { run } of found) {
      if (isIntact('run', run, this.#parts.onDamage) && (!onlySound || (await this.#hasIntactAggregate(run))))
        claimable.push(run);
    }
    return claimable;
  }

  async #hasIntactAggregate({ runId, sessionId, rootSessionId }: Run): Promise<boolean> {
    try {
      if (!this.#has(await this.#parts.lock([{ load: 'treeState', rootSessionId }]))) return false;
      await this.#loadAggregate(sessionId, rootSessionId);
      if (!this.aggregates.has(sessionId)) throw missing('session', sessionId);
      return true;
    } catch (error) {
      if (!(error instanceof RecordDamagedError)) throw error;
      const what = `cannot be handed out: ${error.message}`;
      this.#parts.onDamage({ kind: 'run', id: runId, column: null, what, rootSessionId });
      return false;
    }
  }

  /**
   * Loads a session and its ancestors. Sessions that are already loaded have theirs too.
   *
   * @param root - Its tree; `undefined` if there is no such session.
   */
  async #loadAggregate(sessionId: string, root: string | undefined): Promise<void> {
    const { caches, loading } = this.#parts;
    const found = new Map<string, SessionAggregate>();
    let next: string | null = sessionId;
    while (next !== null && !this.aggregates.has(next) && !found.has(next)) {
      const aggregate: SessionAggregate | undefined = await caches.aggregates.get(next, root, loading);
      if (aggregate === undefined) break;
      found.set(next, aggregate);
      await this.#loadTree(aggregate.session.rootSessionId);
      next = aggregate.session.parentSessionId;
    }
    // Only now: if one of them is damaged, none is loaded.
    for (const [id, aggregate] of found) this.aggregates.set(id, aggregate);
  }

  /** Reports a session with a damaged record and leaves it out, so that it does not stop the others of its tree. */
  async #loadIfIntact(sessionId: string, root: string): Promise<void> {
    try {
      await this.#loadAggregate(sessionId, root);
    } catch (error) {
      if (!(error instanceof RecordDamagedError)) throw error;
      this.#parts.onDamage(error.damage);
    }
  }

  /** The id has priority over the name. A deleted session releases its name, but never its id. */
  async #loadNamed(idOrName: string): Promise<void> {
    const { caches, idOf, lock, rootOf } = this.#parts;
    const load = async (sessionId: string) =>
      this.#loadAggregate(sessionId, await rootOf({ load: 'aggregate', sessionId }));
    if (mayBeSessionId(idOrName)) await load(idOrName);
    const byId = this.aggregates.get(idOrName);
    if (byId?.session.deletedAt === null) {
      this.sessionIds.set(idOrName, idOrName);
      return;
    }
    // A name that a decision before has given is known. One that it has released leads to a deleted session.
    const id = caches.aggregates.knownId(idOrName) ?? (await idOf(idOrName));
    if (id === undefined) return;
    // Its tree was perhaps not locked before.
    if (!this.#has(await lock([{ load: 'aggregate', sessionId: id }]))) return;
    await load(id);
    if (this.aggregates.get(id)?.session.deletedAt === null) this.sessionIds.set(idOrName, id);
  }

  async #loadTree(rootSessionId: string): Promise<void> {
    const { caches, loading } = this.#parts;
    if (this.trees.has(rootSessionId)) return;
    put('tree', this.trees, rootSessionId, await caches.heads.tree(rootSessionId, loading));
  }

  async #loadRun(runId: string): Promise<void> {
    const root = await this.#parts.rootOf({ load: 'run', runId });
    if (root === undefined) return;
    const run = await first((await this.#parts.loading()).run.execute({ root, id: runId }));
    if (run === undefined) return;
    this.runs.set(runId, intact('run', run));
    await this.#loadAggregate(run.sessionId, root);
  }

  async #loadCallback(callbackId: string): Promise<void> {
    const root = await this.#parts.rootOf({ load: 'callback', callbackId });
    if (root === undefined) return;
    const callback = await first((await this.#parts.loading()).callback.execute({ root, id: callbackId }));
    if (callback === undefined) return;
    this.callbacks.set(callbackId, intact('callback', callback));
    await this.#loadAggregate(callback.parentSessionId, root);
    await this.#loadAggregate(callback.childSessionId, root);
  }

  async #loadHanded(id: string, callbacksMax: number): Promise<void> {
    const root = await this.#parts.rootOf({ load: 'aggregate', sessionId: id });
    if (root === undefined) return;
    for (const one of await (await this.#parts.loading()).handed.execute({ root, id, callbacksMax }))
      this.callbacks.set(one.callbackId, intact('callback', one));
  }

  async #loadDelivery(deliveryId: string): Promise<void> {
    const { loading } = this.#parts;
    const delivery = await first((await loading()).delivery.execute({ id: deliveryId }));
    if (delivery === undefined) return;
    const { webhookId, origin } = delivery;
    this.deliveries.set(deliveryId, intact('delivery', delivery));
    if (webhookId !== null)
      put(
        'webhook',
        this.webhooks,
        webhookId,
        await first((await loading()).webhook.execute({ id: webhookId })),
      );
    put(
      'destination',
      this.destinations,
      origin,
      await first((await loading()).destination.execute({ id: origin })),
    );
  }

  /** A rule that needs a damaged head requests it, and fails. */
  async #loadTreeState(rootSessionId: string): Promise<void> {
    try {
      await this.#loadTree(rootSessionId);
      const stateId = this.trees.get(rootSessionId)?.stateId;
      if (stateId != null) await this.#loadState(stateId, rootSessionId);
    } catch (error) {
      if (!(error instanceof RecordDamagedError)) throw error;
    }
  }

  /** @param root - Its tree; `undefined` if there is no such state. */
  async #loadState(stateId: string, root: string | undefined): Promise<void> {
    const { caches, loading } = this.#parts;
    const head = await caches.heads.head(stateId, root, loading);
    if (head === undefined) return;
    this.states.set(stateId, head);
    await this.#loadTree(head.rootSessionId);
  }
}
