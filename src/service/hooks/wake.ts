// Wakes an idle external session. The client starts a process at each stop; the process waits for callbacks and
// wakes the session when one arrives. The stop hook handles everything else about the stop.
import { awaitsPull, callbacksIn, handedIn } from '../../domain/callbacks/pull.js';
import { ok, type Result } from '../../domain/errors.js';
import { goOn, mayEnd, type HookResult } from '../../domain/hooks/result.js';
import type { StopEvent } from '../../domain/hooks/event.js';
import { isElsewhere } from '../../domain/hooks/nested.js';
import type { Session } from '../../domain/records/records.js';
import type { IdempotencyTerms } from '../../domain/transactions/idempotency.js';
import { contentHash } from '../../document/index.js';
import { linkSignals } from '../../lib/signals.js';
import type { HookOptions } from '../../ports/hook-service.js';
import type { StopHookStates } from './stop-hook-state.js';
import type { Wakers } from './wakers.js';
import type { SignsOfLife } from '../sessions/signs-of-life.js';
import type { Caller } from '../caller.js';
import { andThen } from '../results.js';
import { pullCallbacks, type PullCallbacksParts } from '../callbacks/pull-callbacks.js';
import { hookedSession } from './hooked-session.js';
import { handOverText } from './stop.js';

export interface WakeParts extends PullCallbacksParts {
  readonly stopHookStates: StopHookStates;
  readonly wakers: Wakers;
  readonly signs: SignsOfLife;
}

/** @see HookService.answer */
export function answerWake(
  caller: Caller<WakeParts>,
  event: StopEvent,
  options: HookOptions,
): Promise<Result<HookResult>> {
  return andThen(hookedSession(caller, event, options), (session) => {
    const idle = session.external && session.delivery === 'pull' && session.status !== 'stopped';
    if (!idle || isElsewhere(session, event)) return ok(mayEnd(null));
    return wake(caller, session, options);
  });
}

async function wake(
  caller: Caller<WakeParts>,
  session: Session,
  { invocation = '', waitMs = 0, heard = false, signal }: HookOptions,
): Promise<Result<HookResult>> {
  const { sessionId } = session;
  const { transactions, wakers, stopHookStates, store } = caller.context;
  const once = invocation === '' ? undefined : answerOf(session, invocation);
  if (heard) {
    const answer = once === undefined ? null : await store.read.receipt(once);
    stopHookStates.woken(sessionId, callbacksIn(answer));
    return ok(mayEnd(null));
  }
  const replaced = wakers.of(sessionId, invocation);
  if (replaced === null) return ok(mayEnd(null));
  const awaits = await transactions.decideOnSession(session, (unit) =>
    once !== undefined && handedIn(unit, once).length > 0 ? ok(true) : awaitsPull(unit, sessionId, false),
  );
  return andThen(awaits, (awaiting) => {
    if (!awaiting) return ok(mayEnd(null));
    const ends = linkSignals(replaced, signal);
    // Callbacks that were handed over before are repeated only if the answer to this process was lost. Otherwise the stop
    // hook repeats and acknowledges them.
    const how = { repeats: false, goesOn: true, once };
    const pulling = pullCallbacks(caller, sessionId, waitMs, ends.signal, how).finally(ends.release);
    return andThen(pulling, (pulled) => {
      if (pulled.items.length > 0) return ok(goOn(handOverText(pulled)));
      return ok<HookResult>(replaced.aborted ? mayEnd(null) : { verdict: 'waiting', text: null });
    });
  });
}

/** The record of what a process got. It is on disk, because the process asks again when the service is back. */
function answerOf({ sessionId, rootSessionId }: Session, invocation: string): IdempotencyTerms {
  const receiptId = contentHash(`hook wake\n${sessionId}\n${invocation}`);
  return { receiptId, rootSessionId, fingerprint: 'hook_wake' };
}
