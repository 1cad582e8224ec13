// Adds to a prompt what its reader has to know of the workflow state: the context of a child that begins, and the
// summary for a parent that gets callbacks. Both show the state at the moment when the prompt is handed out.
import { wayToRecord } from '../../agent-clients/index.js';
import { locationWithExample } from '../../domain/prompts/named-location.js';
import { RecordDamagedError } from '../../domain/damage/damage.js';
import { stateContext } from '../../domain/prompts/state-context.js';
import { stateSummary } from '../../domain/prompts/state-summary.js';
import type { Run, Session } from '../../domain/records/records.js';
import type { DocumentView } from '../../domain/transactions/decision-context.js';
import type { SchemaEngine } from '../../ports/schema-engine.js';
import type { Store } from '../../ports/storage/store.js';
import { documentView } from '../documents/document-view.js';
import type { DocumentTexts } from '../documents/document-texts.js';
import type { Documents } from '../documents/documents.js';
import type { KeyVersions } from '../documents/key-versions.js';
import { headOfTree } from '../results.js';
import type { SchemaCache } from '../schemas/schema-cache.js';

/** What prompts say about the state, for all sessions. A session can turn off what is on here. */
export interface StatePromptOptions {
  readonly context: boolean;
  readonly summary: boolean;
}

export interface StatePromptParts {
  readonly store: Store;
  readonly engine: SchemaEngine;
  readonly documents: Documents;
  readonly texts: DocumentTexts;
  readonly schemas: SchemaCache;
  readonly keyVersions: KeyVersions;
  readonly statePrompts: StatePromptOptions;
}

/**
 * The prompt of a run for its runner.
 *
 * @param executors - The executor types of the runner.
 */
export async function promptOf(
  parts: StatePromptParts,
  run: Run,
  session: Session | null,
  executors: readonly string[],
): Promise<string> {
  if (session === null) return run.prompt;
  const more =
    run.purpose === 'callback'
      ? await summaryFor(parts, session)
      : await contextFor(parts, run, session, executors);
  return more === null ? run.prompt : `${run.prompt}\n\n${more}`;
}

/** The summary beside callbacks for a parent; `null` if it gets none. */
export async function summaryFor(parts: StatePromptParts, session: Session): Promise<string | null> {
  if (!parts.statePrompts.summary || !session.stateSummary) return null;
  return ifIntact(async () => {
    const head = await headOfTree(parts.store, session.rootSessionId);
    if (head === null) return null;
    const document = await parts.documents.at(head);
    if (document === null) return null;
    const facts = await parts.keyVersions.of(head, document);
    return stateSummary({
      sessionName: session.sessionName,
      stateId: head.stateId,
      version: head.version,
      document,
      changedAt: (name) => facts.get(name)?.version ?? head.version,
    });
  });
}

/** The summary in the message with a callback for a parent's URL; `null` if it gets none. */
export async function summaryForCallback(
  parts: StatePromptParts,
  callbackId: string,
): Promise<string | null> {
  return ifIntact(async () => {
    const callback = await parts.store.read.callback(callbackId);
    const parent = callback === null ? null : await parts.store.read.session(callback.parentSessionId);
    return parent === null ? null : summaryFor(parts, parent);
  });
}

/** The block on the state in the first prompt of a child; `null` if it gets none. */
async function contextFor(
  parts: StatePromptParts,
  run: Run,
  session: Session,
  executors: readonly string[],
): Promise<string | null> {
  const isOn = parts.statePrompts.context && session.stateContext;
  if (!isOn || session.parentSessionId === null || run.purpose !== 'work' || run.generation > 1) return null;
  const [first] = await parts.store.read.workRuns(session.sessionId);
  if (first?.runId !== run.runId) return null;
  return ifIntact(async () => {
    const view = await viewOf(parts, session);
    const completion = await parts.store.read.completion(session.sessionId, run.generation);
    if (view === null || completion === null) return null;
    const { settings } = completion;
    const { named, example } = locationWithExample(settings, view, parts.engine);
    // The first executor of a runner takes the runs that demand none.
    const executor = run.demands.executorType ?? session.executorType ?? executors[0];
    const way = executor === undefined ? 'either' : wayToRecord(executor);
    return stateContext({ session, settings, view, named, example, way });
  });
}

async function viewOf(parts: StatePromptParts, session: Session): Promise<DocumentView | null> {
  const head = await headOfTree(parts.store, session.rootSessionId);
  if (head === null) return null;
  const [document, schema] = await Promise.all([parts.documents.at(head), parts.schemas.byId(head.schemaId)]);
  return document === null || schema === null ? null : documentView(parts.texts, head, document, schema);
}

/** A damaged state does not block the prompt. Reading the state reports the damage. */
async function ifIntact(make: () => Promise<string | null>): Promise<string | null> {
  try {
    return await make();
  } catch (error) {
    if (error instanceof RecordDamagedError) return null;
    throw error;
  }
}
