// Use case: a parent that pulls asks for its callbacks, and waits a while where there are none.
import { maySpeakFor } from '../domain/access.js';
import { pullCallbacks as pullRule } from '../domain/callbacks/operate.js';
import { accepted, type Outcome } from '../domain/errors.js';
import type { CallbackView, Listed } from '../ports/api/index.js';
import type { Caller } from './context.js';
import { reachSession, andThen } from './outcomes.js';
import { callbackView } from './views.js';

/** @see SessionService.pullCallbacks */
export async function pullCallbacks(
  caller: Caller,
  idOrName: string,
  waitMs: number,
  signal?: AbortSignal,
): Promise<Outcome<Listed<CallbackView>>> {
  const { context, actor } = caller;
  return andThen(reachSession(caller, 'orchestrate', idOrName), async ({ sessionId, rootSessionId }) => {
    const may = maySpeakFor(actor, sessionId);
    if (!may.ok) return may;
    const until = context.clock.now() + Math.min(waitMs, context.limits.waitMsMax);
    for (;;) {
      const news = context.notifier.listen([`callbacks:${sessionId}`], until - context.clock.now(), signal);
      // Nobody is there any more to take them.
      if (signal?.aborted === true) return accepted({ items: [], next_cursor: null });
      const outcome = await context.trees.decide(
        rootSessionId,
        [{ want: 'deskNamed', idOrName: sessionId }],
        (draft) => pullRule(draft, sessionId),
      );
      if (
        !outcome.ok ||
        outcome.value.length > 0 ||
        context.clock.now() >= until ||
        context.closing.aborted
      ) {
        news.cancel();
        return outcome.ok ? accepted({ items: outcome.value.map(callbackView), next_cursor: null }) : outcome;
      }
      await news.woken;
    }
  });
}
