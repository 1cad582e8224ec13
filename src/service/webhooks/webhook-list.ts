// The webhooks as decisions see them: the same as in the database, kept in memory so that a write need not read them.
// Holds because one coordinator has the database: a commit is heard before the next decision is made.
import type { Changeset } from '../../domain/transactions/changeset.js';
import type { Limits } from '../../domain/limits.js';
import type { Webhook } from '../../domain/records/records.js';
import type { Store } from '../../ports/store.js';

export class WebhookList {
  readonly #all = new Map<string, Webhook>();
  #enabled: readonly Webhook[] = [];

  constructor(
    private readonly store: Store,
    private readonly limits: Limits,
  ) {}

  /** Reads what is there; to be called before anything is decided. Damaged ones are not among it. */
  async load(): Promise<void> {
    let cursor: string | null = null;
    do {
      const request = { limit: this.limits.listItemsMax, cursor };
      const page: Awaited<ReturnType<Store['read']['webhooks']['list']>> =
        await this.store.read.webhooks.list({}, request);
      for (const webhook of page.items) this.#all.set(webhook.webhookId, webhook);
      cursor = page.nextCursor;
    } while (cursor !== null);
    this.#choose();
  }

  hear(changes: Changeset): void {
    let news = false;
    for (const change of changes) {
      if ('put' in change && change.put === 'webhook') this.#all.set(change.record.webhookId, change.record);
      else if ('remove' in change && change.remove === 'webhook') this.#all.delete(change.id);
      else continue;
      news = true;
    }
    if (news) this.#choose();
  }

  /** Those that are to be told. */
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
