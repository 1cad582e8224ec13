// The stop hook: a session that no runner started ends its turn. What its completion asks of it is the reason to go on;
// so are callbacks that wait for it. A session of a runner is only reminded: the runner reports for it.
import { acknowledge } from '../../domain/callbacks/operate.js';
import { accepted, type Outcome } from '../../domain/errors.js';
import { boundedText } from '../../domain/excerpt.js';
import { goOn, mayEnd, type HookVerdict } from '../../domain/hooks/answer.js';
import { withIdentity } from '../../domain/hooks/context.js';
import type { StopEvent, SubagentStopEvent } from '../../domain/hooks/event.js';
import { capNotice, endNotice, takesRefusal } from '../../domain/hooks/refusals.js';
import { awaitsPull, repeatedPrompt } from '../../domain/hooks/repeat.js';
import type { Completion, Session } from '../../domain/records.js';
import { sessionReported } from '../../domain/sessions/external.js';
import type { CallbackView } from '../../ports/api/index.js';
import type { HookOptions } from '../../ports/hook-service.js';
import type { Caller } from '../context.js';
import { andThen } from '../outcomes.js';
import { pullCallbacks } from '../pull-callbacks.js';
import { hookedSession, isElsewhere, standingOf } from './standing.js';
import type { Turn } from './turns.js';

/** A stop, and all that was found out about it. */
interface Stop {
  readonly caller: Caller;
  readonly event: StopEvent | SubagentStopEvent;
  readonly options: HookOptions;
  readonly session: Session;
  readonly turn: Turn;
  readonly refusable: boolean;
}

/** @see HookService.answer */
export async function answerStop(
  caller: Caller,
  event: StopEvent,
  options: HookOptions,
): Promise<Outcome<HookVerdict>> {
  return andThen(hookedSession(caller, event, options), async (session) => {
    // What runs in the background wakes the session again: this is no end.
    if (event.openTasks > 0) return accepted(mayEnd(null));
    if (isElsewhere(session, event)) return accepted(mayEnd(elsewhere(session)));
    if (session.status === 'stopped') return accepted(mayEnd(null));
    const stop = stopOf(caller, event, options, session);
    await acknowledgeHanded(stop);
    if (!session.external) return remind(stop);
    return andThen(callbacksFor(stop), (verdict) => (verdict === null ? endOfTurn(stop) : accepted(verdict)));
  });
}

/** A sub-agent that counts as a child of the session ends: there is nobody to wait for, only its own result to record. */
export async function answerChildStop(
  caller: Caller,
  event: SubagentStopEvent,
  options: HookOptions,
  child: Session,
): Promise<Outcome<HookVerdict>> {
  if (child.status === 'stopped') return accepted(mayEnd(null));
  return endOfTurn(stopOf(caller, event, options, child));
}

function stopOf(
  caller: Caller,
  event: StopEvent | SubagentStopEvent,
  options: HookOptions,
  session: Session,
): Stop {
  const { hookTurns, limits } = caller.context;
  const turn = hookTurns.of(session.sessionId, event.repeated);
  const refusable = takesRefusal(event.client, turn.refusals, options.refusalsMax ?? null, limits);
  return { caller, event, options, session, turn, refusable };
}

function elsewhere({ sessionName, executorSessionId }: Session): string {
  return `Countersign: ${sessionName} is the client's session ${executorSessionId ?? ''}; this one is let go.`;
}

/** What the last refusal handed over has arrived: the client came back from it. */
async function acknowledgeHanded({ caller, session, turn }: Stop): Promise<void> {
  for (const callbackId of turn.handed) {
    await caller.context.trees.decide(session.rootSessionId, [{ want: 'callback', callbackId }], (draft) =>
      acknowledge(draft, callbackId),
    );
  }
}

/** Callbacks that are due, or come within the wait. @returns `null` where the stop is to be looked at further. */
async function callbacksFor(stop: Stop): Promise<Outcome<HookVerdict | null>> {
  const { caller, session, options, refusable } = stop;
  if (session.delivery !== 'pull') return accepted(null);
  return andThen(awaits(stop), async (awaiting) => {
    if (!awaiting) return accepted(null);
    const completion = await caller.context.store.read.completion(session.sessionId);
    if (!refusable) return accepted(null);
    // An attempt that is open has a time of its own, which a wait would use up.
    const waitMs = completion?.status === 'pending' ? 0 : (options.waitMs ?? 0);
    return andThen(pullCallbacks(caller, session.sessionId, waitMs, options.signal), ({ items }) => {
      if (items.length > 0) return accepted(handOver(stop, items));
      const gone = options.signal?.aborted === true;
      if (waitMs > 0 || gone) return accepted<HookVerdict>({ verdict: 'waiting', text: null });
      return accepted(null);
    });
  });
}

function awaits({ caller, session }: Stop): Promise<Outcome<boolean>> {
  const { sessionId, rootSessionId } = session;
  return caller.context.trees.decide(rootSessionId, [{ want: 'deskNamed', idOrName: sessionId }], (draft) =>
    awaitsPull(draft, sessionId),
  );
}

function handOver(stop: Stop, items: readonly CallbackView[]): HookVerdict {
  refuse(
    stop,
    items.map((one) => one.callback_id),
  );
  return goOn(items.map(({ message }) => message ?? '').join('\n\n'));
}

/** Tells the coordinator that the work, or an attempt to record it, has ended; what it asks for then is the answer. */
async function endOfTurn(stop: Stop): Promise<Outcome<HookVerdict>> {
  const { caller, event, session, refusable } = stop;
  return andThen(reported(stop), async (completion) => {
    const { request } = completion;
    if (request !== null && refusable) {
      refuse(stop, []);
      const standing = await standingOf(caller, session, stop.options);
      return accepted(goOn(withIdentity(standing, request.prompt)));
    }
    caller.context.hookTurns.over(session.sessionId);
    if (request !== null) return accepted(mayEnd(capNotice(event.client, 'Its result is not recorded yet.')));
    return andThen(awaits(stop), (awaiting) =>
      accepted(
        mayEnd(
          awaiting && !refusable
            ? capNotice(event.client, 'Callbacks wait for it.')
            : endNotice(completion, awaiting),
        ),
      ),
    );
  });
}

function reported({ caller, event, session }: Stop): Promise<Outcome<Completion>> {
  const { trees, limits } = caller.context;
  const { sessionId, rootSessionId } = session;
  const said = {
    type: 'session_stop' as const,
    resultText: event.said === null ? null : boundedText(event.said, limits.resultBytesMax / 2),
    resultData: null,
    executorSessionId: null,
  };
  return trees.decide(rootSessionId, [{ want: 'deskNamed', idOrName: sessionId }], (draft) =>
    sessionReported(draft, sessionId, said),
  );
}

/** Once in a turn: the coordinator asks again when the run has ended. */
async function remind(stop: Stop): Promise<Outcome<HookVerdict>> {
  const { caller, event, session, refusable } = stop;
  if (event.repeated || !refusable) return accepted(mayEnd(null));
  const { sessionId, rootSessionId } = session;
  const wants = [{ want: 'deskNamed', idOrName: sessionId }] as const;
  const prompt = await caller.context.trees.decide(rootSessionId, wants, (draft) =>
    repeatedPrompt(draft, sessionId),
  );
  return andThen(prompt, (text) => {
    if (text === null) return accepted(mayEnd(null));
    refuse(stop, []);
    return accepted(goOn(text));
  });
}

function refuse({ caller, session, turn }: Stop, handed: readonly string[]): void {
  caller.context.hookTurns.refused(session.sessionId, turn, handed);
}
