// Use case: a parent pulls its callbacks. The call waits for a while if there are none.
import { maySpeakFor } from '../../domain/access/access.js';
import { pullCallbacks as pullRule, type Pulled, type PullOptions } from '../../domain/callbacks/pull.js';
import { accepted, type Outcome } from '../../domain/errors.js';
import type { PulledCallbacks } from '../../ports/api/index.js';
import type { Caller } from '../context.js';
import { andThen, mapped, reachSession } from '../outcomes.js';
import { callbackView } from '../views.js';

/** @see SessionService.pullCallbacks */
export async function pullCallbacks(
  caller: Caller,
  idOrName: string,
  waitMs: number,
  signal?: AbortSignal,
  how?: PullOptions,
): Promise<Outcome<PulledCallbacks>> {
  const { context, actor } = caller;
  return andThen(reachSession(caller, 'orchestrate', idOrName), async ({ sessionId, rootSessionId }) => {
    const may = maySpeakFor(actor, sessionId);
    if (!may.ok) return may;
    const until = context.clock.now() + Math.min(waitMs, context.limits.waitMsMax);
    for (;;) {
      const news = context.notifier.listen([`callbacks:${sessionId}`], until - context.clock.now(), signal);
      // The caller has gone: do not hand over callbacks that nobody receives.
      if (signal?.aborted === true) return accepted(pulledView({ callbacks: [], remaining: 0 }));
      const outcome = await context.transactions.decide(
        rootSessionId,
        [{ load: 'aggregateNamed', idOrName: sessionId }],
        (unit) => pullRule(unit, sessionId, how),
      );
      if (
        !outcome.ok ||
        outcome.value.callbacks.length > 0 ||
        context.clock.now() >= until ||
        context.closing.aborted
      ) {
        news.cancel();
        return mapped(outcome, pulledView);
      }
      await news.woken;
    }
  });
}

function pulledView({ callbacks, remaining }: Pulled): PulledCallbacks {
  return { items: callbacks.map(callbackView), next_cursor: null, remaining };
}
