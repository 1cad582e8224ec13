// The inputs of one decision that are computed outside of it: the document of the tree, and the results of contracts.
// What is in memory is given at once. The rest is loaded or computed by `prepare`, and the decision is made again.
import type { Violation } from '../../domain/errors.js';
import { missing, RecordDamagedError } from '../../domain/damage/damage.js';
import type { Completion, StateHead, WorkflowSchema } from '../../domain/records/records.js';
import type { JsonObject } from '../../domain/json/json.js';
import { contractResultKey } from '../../domain/transactions/change-id.js';
import type { DocumentView } from '../../domain/transactions/decision-context.js';
import type { MaybePromise } from '../../lib/maybe-promise.js';
import type { Store } from '../../ports/storage/store.js';
import { documentView } from '../documents/document-view.js';
import type { DocumentTexts } from '../documents/document-texts.js';
import type { Documents } from '../documents/documents.js';

export interface DecisionInputsParts {
  readonly store: Pick<Store, 'read'>;
  readonly documents: Pick<Documents, 'cached' | 'at'>;
  readonly texts: Pick<DocumentTexts, 'text'>;
  /** The registered schemas. */
  readonly schemas: {
    cached(schemaId: string): WorkflowSchema | undefined;
    byId(schemaId: string): Promise<WorkflowSchema | null>;
  };
  /** Validates a document against a completion's contract. */
  readonly contracts: {
    contractViolations(completion: Completion, view: DocumentView): MaybePromise<readonly Violation[]>;
  };
}

/** After so many waits for a result, the results of all open contracts of the tree are computed at once. */
const WAITS_MAX = 3;

export class DecisionInputs {
  /** Why the tree's document is not available, if its history is damaged. */
  damage: string | undefined;
  /** The view that was prepared last: the caches may have evicted its document. */
  #view: DocumentView | null = null;
  /** The hash of the head that this view is of. */
  #viewHash = '';
  /** The head whose document was asked for last, and was not in memory. */
  #asked: StateHead | null = null;
  #waits = 0;
  #results: Map<string, MaybePromise<readonly Violation[]>> | null = null;

  constructor(
    private readonly parts: DecisionInputsParts,
    private readonly rootSessionId: string,
  ) {}

  /** @see DecisionContext.documentOf */
  readonly documentOf = (head: StateHead): DocumentView | undefined => {
    const view = this.#view;
    const isOfHead = view?.stateId === head.stateId && view.version === head.version;
    if (isOfHead && this.#viewHash === head.lastHash) return view;
    const { documents, schemas } = this.parts;
    const schema = schemas.cached(head.schemaId);
    const document = documents.cached(head);
    if (schema !== undefined && document !== undefined) {
      return this.#keep(head, document, schema);
    }
    this.#asked = head;
    return undefined;
  };

  /** @see DecisionContext.contractViolationsOf */
  readonly contractViolationsOf = (
    completion: Completion,
    view: DocumentView,
  ): readonly Violation[] | undefined => {
    const key = keyOf(completion, view);
    const results = (this.#results ??= new Map<string, MaybePromise<readonly Violation[]>>());
    const known = results.get(key) ?? this.parts.contracts.contractViolations(completion, view);
    results.set(key, known);
    if (!(known instanceof Promise)) return known;
    // `prepare` reports the error, if the decision still needs the result then.
    known.catch(() => undefined);
    return undefined;
  };

  /** Loads the document, and waits for the results that the decision asked for. */
  async prepare(): Promise<void> {
    try {
      const head = await this.#head();
      if (head !== null) await this.#load(head);
    } catch (error) {
      if (!(error instanceof RecordDamagedError)) throw error;
      // The tree can continue: its completions end as failed, for this reason.
      this.damage = `${error.message}.`;
    }
    this.#asked = null;
    await this.#awaitResults();
  }

  /** A decision that repairs damaged records asks for a head that only it can read. */
  async #head(): Promise<StateHead | null> {
    try {
      return (await this.#storedHead()) ?? this.#asked;
    } catch (error) {
      if (this.#asked === null || !(error instanceof RecordDamagedError)) throw error;
      return this.#asked;
    }
  }

  /** The head of the tree's state; `null` if the tree has none. */
  async #storedHead(): Promise<StateHead | null> {
    const { read } = this.parts.store;
    const stateId = (await read.tree(this.rootSessionId))?.stateId ?? null;
    if (stateId === null) return null;
    const head = await read.state(stateId);
    if (head === null) throw missing('state', stateId);
    return head;
  }

  async #load(head: StateHead): Promise<void> {
    const { documents, schemas } = this.parts;
    const document = await documents.at(head);
    const schema = await schemas.byId(head.schemaId);
    if (document === null) throw missing('snapshot', `${head.stateId}@${String(head.version)}`);
    if (schema === null) throw missing('schema', head.schemaId);
    this.#keep(head, document, schema);
  }

  #keep(head: StateHead, document: JsonObject, schema: WorkflowSchema): DocumentView {
    this.#viewHash = head.lastHash;
    return (this.#view = documentView(this.parts.texts, head, document, schema));
  }

  async #awaitResults(): Promise<void> {
    const results = this.#results;
    if (results === null) return;
    const awaited = [...results].filter(([, result]) => result instanceof Promise);
    if (awaited.length === 0) return;
    this.#waits += 1;
    if (this.#waits >= WAITS_MAX) await this.#askForAll(results);
    for (const [key, result] of awaited) results.set(key, await result);
  }

  /** A decision that settles many sessions asks for one result after the other. */
  async #askForAll(results: Map<string, MaybePromise<readonly Violation[]>>): Promise<void> {
    const view = this.#view;
    if (view === null) return;
    for (const completion of await this.parts.store.read.openCompletions(this.rootSessionId)) {
      if (completion.settings.contract === null) continue;
      this.contractViolationsOf(completion, view);
      const key = keyOf(completion, view);
      const result = await Promise.resolve(results.get(key)).catch(() => undefined);
      if (result === undefined) results.delete(key);
      else results.set(key, result);
    }
  }
}

/** The result depends on no more than this. */
function keyOf(completion: Completion, { version }: DocumentView): string {
  const { settings, lastWriteVersion } = completion;
  const { schemaHash = '', pointer = '' } = settings.contract ?? {};
  return [contractResultKey(completion), version, lastWriteVersion, schemaHash, pointer].join(' ');
}
