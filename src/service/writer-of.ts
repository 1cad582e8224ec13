// The caller as an event records it.
import type { Actor } from '../domain/actor.js';
import { OPERATOR, type Writer } from '../domain/states/write.js';

export function writerOf(actor: Actor): Writer {
  const { toolCallId } = actor;
  if (actor.kind === 'operator' && actor.tokenName === null && toolCallId === undefined) return OPERATOR;
  return actor.kind === 'session'
    ? { sessionId: actor.sessionId, runId: actor.runId, tokenName: null, toolCallId }
    : { sessionId: null, runId: null, tokenName: actor.tokenName, toolCallId };
}
