// The caller as an event records it, and what it is held to.
import type { Actor } from '../../domain/access/actor.js';
import { OPERATOR, type Writer, type WriterTerms } from '../../domain/states/write.js';
import type { Store } from '../../ports/store.js';

export function writerOf(actor: Actor): Writer {
  const { toolCallId } = actor;
  if (actor.kind === 'operator' && actor.tokenName === null && toolCallId === undefined) return OPERATOR;
  return actor.kind === 'session'
    ? { sessionId: actor.sessionId, runId: actor.runId, tokenName: null, toolCallId }
    : { sessionId: null, runId: null, tokenName: actor.tokenName, toolCallId };
}

/** What was agreed with the writing session; `null` where no session writes, or nothing was. */
export async function termsOf(store: Store, { sessionId }: Writer): Promise<WriterTerms | null> {
  const completion = sessionId === null ? null : await store.read.completion(sessionId);
  return completion === null ? null : { generation: completion.generation, settings: completion.settings };
}
