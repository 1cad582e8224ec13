// The records that were loaded for a decision, by their ids. Loading adds to them.
import type { Damage, RecordKind } from '../domain/damage/damage.js';
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
  Receipt,
} from '../domain/records/records.js';
import type { LoadedRecords, SessionAggregate } from '../domain/transactions/loaded-records.js';
import { intact } from './rows/intact-rows.js';

/** Most decisions load records of few kinds: the maps of the others are made when they are first asked for. */
export class RecordMaps implements LoadedRecords {
  readonly trees = new Map<string, Tree>();
  readonly aggregates = new Map<string, SessionAggregate>();
  readonly states = new Map<string, StateHead>();
  repaired: readonly Damage[] = [];
  claimable: readonly Run[] = [];
  #runs: Map<string, Run> | undefined;
  #runners: Map<string, Runner> | undefined;
  #callbacks: Map<string, Callback> | undefined;
  #sessionIds: Map<string, string> | undefined;
  #receipts: Map<string, Receipt> | undefined;
  #schemas: Map<string, WorkflowSchema> | undefined;
  #schemaUses: Map<string, number> | undefined;
  #schemaNames: Map<string, string> | undefined;
  #sessionCounts: Map<string, number> | undefined;
  #schemasOwned: Map<string, number> | undefined;
  #tokens: Map<string, Token> | undefined;
  #webhooks: Map<string, Webhook> | undefined;
  #deliveries: Map<string, WebhookDelivery> | undefined;
  #destinations: Map<string, WebhookDestination> | undefined;

  get runs(): Map<string, Run> {
    return (this.#runs ??= new Map());
  }

  get runners(): Map<string, Runner> {
    return (this.#runners ??= new Map());
  }

  get callbacks(): Map<string, Callback> {
    return (this.#callbacks ??= new Map());
  }

  get sessionIds(): Map<string, string> {
    return (this.#sessionIds ??= new Map());
  }

  get receipts(): Map<string, Receipt> {
    return (this.#receipts ??= new Map());
  }

  get schemas(): Map<string, WorkflowSchema> {
    return (this.#schemas ??= new Map());
  }

  get schemaUses(): Map<string, number> {
    return (this.#schemaUses ??= new Map());
  }

  get schemaNames(): Map<string, string> {
    return (this.#schemaNames ??= new Map());
  }

  get sessionCounts(): Map<string, number> {
    return (this.#sessionCounts ??= new Map());
  }

  get schemasOwned(): Map<string, number> {
    return (this.#schemasOwned ??= new Map());
  }

  get tokens(): Map<string, Token> {
    return (this.#tokens ??= new Map());
  }

  get webhooks(): Map<string, Webhook> {
    return (this.#webhooks ??= new Map());
  }

  get deliveries(): Map<string, WebhookDelivery> {
    return (this.#deliveries ??= new Map());
  }

  get destinations(): Map<string, WebhookDestination> {
    return (this.#destinations ??= new Map());
  }
}

/** Adds a record to a map, if there is one. @throws RecordDamagedError - It is damaged. */
export function putIntact<T extends object>(
  kind: RecordKind,
  map: Map<string, T>,
  id: string,
  record: T | undefined,
): void {
  if (record !== undefined) map.set(id, intact(kind, record));
}
