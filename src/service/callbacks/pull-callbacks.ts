// Use case: a parent pulls its callbacks. The call waits for a while if there are none.
import { mayActAs } from '../../domain/access/access.js';
import { pullCallbacks as pullRule, type Pulled, type PullOptions } from '../../domain/callbacks/pull.js';
import { ok, type Result } from '../../domain/errors.js';
import type { PulledCallbacks } from '../../ports/api/index.js';
import type { Limits } from '../../domain/limits.js';
import type { Notifier } from '../scheduling/notifier.js';
import type { TreeTransactions } from '../transactions/tree-transactions.js';
import type { Caller } from '../caller.js';
import type { KnownRecords } from '../known-records.js';
import { andThen, reachToDecide } from '../results.js';
import { summaryFor, type StatePromptParts } from '../prompts/state-prompts.js';
import { callbackView } from '../views.js';

export interface PullCallbacksParts extends StatePromptParts {
  readonly limits: Limits;
  readonly notifier: Notifier;
  readonly known: KnownRecords;
  readonly transactions: TreeTransactions;
  /** Aborted when the service shuts down, so that waits end early. */
  readonly closing: AbortSignal;
}

/** @see SessionService.pullCallbacks */
export async function pullCallbacks(
  caller: Caller<PullCallbacksParts>,
  idOrName: string,
  waitMs: number,
  signal?: AbortSignal,
  how: PullOptions = { repeats: true, goesOn: false },
): Promise<Result<PulledCallbacks>> {
  const { context, actor } = caller;
  return andThen(reachToDecide(caller, 'orchestrate', idOrName), async (session) => {
    const { sessionId } = session;
    const may = mayActAs(actor, sessionId);
    if (!may.ok) return may;
    // The server's clock may be set back meanwhile.
    const until = performance.now() + Math.min(waitMs, context.limits.waitMsMax);
    for (;;) {
      const change = context.notifier.listen([`callbacks:${sessionId}`], until - performance.now(), signal);
      // The caller has gone: do not hand over callbacks that nobody receives.
      if (signal?.aborted === true) return ok(pulledView({ callbacks: [], remaining: 0 }, null));
      const result = await context.transactions.decideOnSession(session, (unit) =>
        pullRule(unit, sessionId, { ...how, byItself: actor.kind === 'session' }),
      );
      if (
        !result.ok ||
        result.value.callbacks.length > 0 ||
        performance.now() >= until ||
        context.closing.aborted
      ) {
        change.cancel();
        return andThen(result, async (pulled) => {
          const summary = pulled.callbacks.length === 0 ? null : await summaryFor(context, session);
          return ok(pulledView(pulled, summary));
        });
      }
      await change.woken;
    }
  });
}

function pulledView({ callbacks, remaining }: Pulled, summary: string | null): PulledCallbacks {
  return {
    items: callbacks.map(callbackView),
    next_cursor: null,
    remaining,
    ...(summary === null ? {} : { state_summary: summary }),
  };
}
