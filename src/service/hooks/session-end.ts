// The session-end hook: the client of an external session ends. Nobody continues its work after that.
import { ok, type Result } from '../../domain/errors.js';
import { mayEnd, type HookResult } from '../../domain/hooks/result.js';
import type { SessionEndEvent } from '../../domain/hooks/event.js';
import { isElsewhere } from '../../domain/hooks/nested.js';
import { clientEnded, sessionReported } from '../../domain/sessions/external.js';
import type { HookOptions } from '../../ports/hook-service.js';
import type { Store } from '../../ports/storage/store.js';
import type { TreeTransactions } from '../transactions/tree-transactions.js';
import type { SignsOfLife } from '../sessions/signs-of-life.js';
import type { Caller } from '../caller.js';
import { andThen, mapped } from '../results.js';
import { hookedSession } from './hooked-session.js';

interface Parts {
  readonly store: Store;
  /** Whether requests need a token. Without it, headers identify the session of a caller on the loopback address. */
  readonly auth: boolean;
  readonly transactions: TreeTransactions;
  readonly signs: SignsOfLife;
}

/** @see HookService.answer */
export async function answerSessionEnd(
  caller: Caller<Parts>,
  event: SessionEndEvent,
  options: HookOptions,
): Promise<Result<HookResult>> {
  return andThen(hookedSession(caller, event, options), async (session) => {
    const named = options.session !== undefined || caller.actor.kind === 'session';
    // If the session was named explicitly, the client's next conversation in the same window continues it.
    const goesOn = named && event.goesOn;
    if (!session.external || isElsewhere(session, event)) return ok(mayEnd(null));
    const { transactions } = caller.context;
    if (goesOn) {
      // The next conversation gets a token of its own, unless the client itself has one.
      if (!caller.context.auth || caller.actor.kind === 'session') return ok(mayEnd(null));
      return transactions.decideOnSession(session, (unit, sessionId) => {
        clientEnded(unit, sessionId);
        return ok(mayEnd(null));
      });
    }
    const report = {
      type: 'session_end' as const,
      resultText: null,
      resultData: null,
      executorSessionId: null,
      reason: event.reason,
    };
    const ended = await transactions.decideOnSession(session, (unit, sessionId) =>
      sessionReported(unit, sessionId, report),
    );
    return mapped(ended, () => mayEnd(null));
  });
}
