// Use case: the message that names the children at work, for people to read while a stop waits. Writes nothing.
import { workingChildren } from '../../domain/callbacks/pull.js';
import { ok, type Result } from '../../domain/errors.js';
import { mayEnd, type HookResult } from '../../domain/hooks/result.js';
import type { StopEvent } from '../../domain/hooks/event.js';
import { isElsewhere } from '../../domain/hooks/nested.js';
import { awaitedNotice } from '../../domain/hooks/refusals.js';
import type { HookOptions } from '../../ports/hook-service.js';
import type { Store } from '../../ports/storage/store.js';
import type { TreeTransactions } from '../transactions/tree-transactions.js';
import type { SignsOfLife } from '../sessions/signs-of-life.js';
import type { Caller } from '../caller.js';
import { andThen } from '../results.js';
import { hookedSession } from './hooked-session.js';

interface Parts {
  readonly store: Store;
  readonly transactions: TreeTransactions;
  readonly signs: SignsOfLife;
}

/** @see HookService.answer */
export async function answerAwaited(
  caller: Caller<Parts>,
  event: StopEvent,
  options: HookOptions,
): Promise<Result<HookResult>> {
  return andThen(hookedSession(caller, event, options), (session) => {
    if (!session.external || session.status === 'stopped' || isElsewhere(session, event)) {
      return ok(mayEnd(null));
    }
    return andThen(caller.context.transactions.decideOnSession(session, workingChildren), (children) =>
      ok(mayEnd(awaitedNotice(children))),
    );
  });
}
