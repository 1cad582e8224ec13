// The writer that an event records, and the terms that it must keep.
import type { Actor } from '../../domain/access/actor.js';
import { OPERATOR, type Writer, type WriterTerms } from '../../domain/states/write.js';
import type { MaybePromise } from '../../lib/maybe-promise.js';
import type { KnownRecords } from '../known-records.js';

export function writerOf(actor: Actor): Writer {
  const { toolCallId } = actor;
  if (actor.kind === 'operator' && actor.tokenName === null && toolCallId === undefined) return OPERATOR;
  return actor.kind === 'session'
    ? { sessionId: actor.sessionId, runId: actor.runId, tokenName: null, toolCallId }
    : { sessionId: null, runId: null, tokenName: actor.tokenName, toolCallId };
}

/** The settings of the writing session's completion; `null` if no session writes or it has no completion. */
export function termsOf(known: KnownRecords, { sessionId }: Writer): MaybePromise<WriterTerms | null> {
  return sessionId === null ? null : known.terms(sessionId);
}
