// The webhooks in memory, so that a write need not read them. They equal the database, because each commit of any
// coordinator is applied here before the next decision.
import type { Changeset } from '../../domain/transactions/changeset.js';
import type { Limits } from '../../domain/limits.js';
import type { Webhook } from '../../domain/records/records.js';
import type { Store } from '../../ports/storage/store.js';

export class WebhookList {
  #all = new Map<string, Webhook>();
  #enabled: readonly Webhook[] = [];
  /** Number of changes so far: what was read before a change may be out of date after it. */
  #heard = 0;

  constructor(
    private readonly store: Store,
    private readonly limits: Limits,
  ) {}

  /** Reads all webhooks except damaged ones. Call it before the first decision, and if commits are not known. */
  async load(): Promise<void> {
    for (;;) {
      const commits = this.#heard;
      const all = await this.#read();
      if (commits !== this.#heard) continue;
      this.#all = all;
      this.#choose();
      return;
    }
  }

  async #read(): Promise<Map<string, Webhook>> {
    const all = new Map<string, Webhook>();
    let cursor: string | null = null;
    do {
      const request = { limit: this.limits.listItemsMax, cursor };
      const page: Awaited<ReturnType<Store['read']['webhooks']['list']>> =
        await this.store.read.webhooks.list({}, request);
      for (const webhook of page.items) all.set(webhook.webhookId, webhook);
      cursor = page.nextCursor;
    } while (cursor !== null);
    return all;
  }

  onCommit(changes: Changeset): void {
    let hasChanged = false;
    for (const change of changes) {
      if ('put' in change && change.put === 'webhook') this.#all.set(change.record.webhookId, change.record);
      else if ('remove' in change && change.remove === 'webhook') this.#all.delete(change.id);
      else continue;
      hasChanged = true;
    }
    if (!hasChanged) return;
    this.#heard += 1;
    this.#choose();
  }

  /** The webhooks that receive messages. */
  get enabled(): readonly Webhook[] {
    return this.#enabled;
  }

  get(webhookId: string | null): Webhook | undefined {
    return webhookId === null ? undefined : this.#all.get(webhookId);
  }

  #choose(): void {
    this.#enabled = [...this.#all.values()].filter((webhook) => webhook.enabled);
  }
}
