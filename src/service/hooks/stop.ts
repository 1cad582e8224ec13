// The stop hook: a session that no runner started ends its turn. What its completion asks of it is the reason to go on;
// so are callbacks that wait for it. A session of a runner is only reminded: the runner reports for it.
import { acknowledge } from '../../domain/callbacks/operate.js';
import { awaitedChildren, awaitsPull } from '../../domain/callbacks/pull.js';
import { accepted, type Outcome } from '../../domain/errors.js';
import { boundedText } from '../../domain/excerpt.js';
import { unframed } from '../../domain/framing.js';
import { goOn, mayEnd, type HookVerdict } from '../../domain/hooks/answer.js';
import { withIdentity } from '../../domain/hooks/context.js';
import type { StopEvent, SubagentStopEvent } from '../../domain/hooks/event.js';
import { isElsewhere } from '../../domain/hooks/nested.js';
import { capNotice, endNotice, takesRefusal } from '../../domain/hooks/refusals.js';
import { repeatedPrompt } from '../../domain/hooks/repeat.js';
import type { Completion, Session } from '../../domain/records/records.js';
import { sessionReported } from '../../domain/sessions/external.js';
import type { PulledCallbacks } from '../../ports/api/index.js';
import type { HookOptions } from '../../ports/hook-service.js';
import type { Caller } from '../context.js';
import { andThen } from '../outcomes.js';
import { pullCallbacks } from '../callbacks/pull-callbacks.js';
import { StopReceipt } from './stop-receipt.js';
import { hookedSession, standingOf } from './standing.js';
import type { StopHookState } from './stop-hook-state.js';

const SHOWN_CHARACTERS_MAX = 200;

/** A stop, and all that was found out about it. */
interface Stop {
  readonly caller: Caller;
  readonly event: StopEvent | SubagentStopEvent;
  readonly options: HookOptions;
  readonly session: Session;
  readonly turn: StopHookState;
  readonly refusable: boolean;
  readonly receipt: StopReceipt;
}

/** @see HookService.answer */
export async function answerStop(
  caller: Caller,
  event: StopEvent,
  options: HookOptions,
): Promise<Outcome<HookVerdict>> {
  return andThen(hookedSession(caller, event, options), async (session) => {
    if (isElsewhere(session, event)) return accepted(mayEnd(elsewhere(session)));
    if (session.status === 'stopped') return accepted(mayEnd(null));
    const stop = stopOf(caller, event, options, session);
    await acknowledgeHanded(stop);
    // What runs in the background wakes the session again: this is no end.
    const isEnd = event.openTasks === 0;
    if (!session.external) return isEnd ? remind(stop) : accepted(mayEnd(null));
    if (await stop.receipt.isThere()) return endOfTurn(stop);
    return andThen(callbacksFor(stop, isEnd), (verdict) => {
      if (verdict !== null) return accepted(verdict);
      return isEnd ? endOfTurn(stop) : accepted(mayEnd(null));
    });
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
  const turn = hookTurns.of(session.sessionId, event.repeated, options.invocation ?? null);
  const refusable = takesRefusal(event.client, turn.refusals, options.refusalsMax ?? null, limits);
  const receipt = new StopReceipt(caller.context, session.sessionId, options.invocation);
  return { caller, event, options, session, turn, refusable, receipt };
}

function elsewhere({ sessionName, executorSessionId }: Session): string {
  const other = unframed(boundedText(executorSessionId ?? '', SHOWN_CHARACTERS_MAX));
  return `Countersign: ${sessionName} is the client's session ${other}; this one is let go.`;
}

/** What the last refusal handed over has arrived: the client came back from it. */
async function acknowledgeHanded({ caller, session, turn }: Stop): Promise<void> {
  for (const callbackId of turn.handed) {
    await caller.context.trees.decide(session.rootSessionId, [{ want: 'callback', callbackId }], (draft) =>
      acknowledge(draft, callbackId),
    );
  }
}

/**
 * Callbacks that are due, were handed over before and not heard of since, or come within the wait.
 *
 * @returns `null` where the stop is to be looked at further.
 */
async function callbacksFor(stop: Stop, mayWait: boolean): Promise<Outcome<HookVerdict | null>> {
  const { caller, session, options, refusable } = stop;
  if (session.delivery !== 'pull') return accepted(null);
  return andThen(awaits(stop), async (awaiting) => {
    if (!awaiting) return accepted(null);
    const completion = await caller.context.store.read.completion(session.sessionId);
    if (!refusable) return accepted(null);
    // An attempt that is open has a time of its own, which a wait would use up.
    const waitMs = !mayWait || completion?.status === 'pending' ? 0 : (options.waitMs ?? 0);
    const how = { repeats: mayRepeat(stop), goesOn: true };
    return andThen(pullCallbacks(caller, session.sessionId, waitMs, options.signal, how), (pulled) => {
      if (pulled.items.length > 0) return accepted(handOver(stop, pulled));
      const gone = options.signal?.aborted === true;
      if (waitMs > 0 || gone) return accepted<HookVerdict>({ verdict: 'waiting', text: null });
      return accepted(null);
    });
  });
}

function awaits(stop: Stop): Promise<Outcome<boolean>> {
  const { caller, session } = stop;
  const { sessionId, rootSessionId } = session;
  return caller.context.trees.decide(rootSessionId, [{ want: 'deskNamed', idOrName: sessionId }], (draft) =>
    awaitsPull(draft, sessionId, mayRepeat(stop)),
  );
}

function childrenAwaited({ caller, session }: Stop): Promise<Outcome<readonly string[]>> {
  const { sessionId, rootSessionId } = session;
  const wants = [{ want: 'deskNamed', idOrName: sessionId }] as const;
  return caller.context.trees.decide(rootSessionId, wants, (draft) => awaitedChildren(draft, sessionId));
}

/** A client that never comes back from what it is handed is not held back with it for ever. */
function mayRepeat({ caller, turn }: Stop): boolean {
  return turn.unheard < caller.context.limits.hookUnheardAttemptsMax;
}

function handOver(stop: Stop, pulled: PulledCallbacks): HookVerdict {
  refuse(
    stop,
    pulled.items.map((one) => one.callback_id),
  );
  return goOn(handOverText(pulled));
}

/** What a session is told that goes on with callbacks. */
export function handOverText({ items, remaining = 0 }: PulledCallbacks): string {
  const more =
    remaining === 0
      ? []
      : [`${String(remaining)} more wait: they are handed over when you next end your turn.`];
  return [...items.map(({ message }) => message ?? ''), ...more].join('\n\n');
}

/**
 * Tells the coordinator that the work, or an attempt to record it, has ended; what it asks for then is the answer. A stop
 * that is asked about again has ended nothing more, and has the same answer.
 */
async function endOfTurn(stop: Stop): Promise<Outcome<HookVerdict>> {
  const { caller, event, session, refusable } = stop;
  return andThen(reported(stop), async (completion) => {
    const { request } = completion;
    if (request !== null && refusable) {
      refuse(stop, []);
      const standing = await standingOf(caller, session, stop.options);
      return accepted(goOn(withIdentity(standing, request.prompt)));
    }
    caller.context.hookTurns.over(session.sessionId, invocationOf(stop), stop.turn);
    if (request !== null) return accepted(mayEnd(capNotice(event.client, 'Its result is not recorded yet.')));
    return andThen(awaits(stop), (awaiting) =>
      andThen(childrenAwaited(stop), (children) =>
        accepted(
          mayEnd(
            awaiting && !refusable
              ? capNotice(event.client, 'Callbacks wait for it.')
              : endNotice(completion, awaiting, children),
          ),
        ),
      ),
    );
  });
}

function reported({ caller, event, session, receipt }: Stop): Promise<Outcome<Completion>> {
  const { limits } = caller.context;
  const { sessionId, rootSessionId } = session;
  const said = {
    type: 'session_stop' as const,
    resultText: event.said === null ? null : boundedText(event.said, limits.resultBytesMax / 2),
    resultData: null,
    executorSessionId: event.hook === 'subagent-stop' ? event.agentId : null,
  };
  return receipt.trees.decide(rootSessionId, [{ want: 'deskNamed', idOrName: sessionId }], (draft) =>
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

function refuse(stop: Stop, handed: readonly string[]): void {
  const { caller, session, turn } = stop;
  caller.context.hookTurns.refused(session.sessionId, invocationOf(stop), turn, handed);
}

function invocationOf({ options }: Stop): string | null {
  return options.invocation ?? null;
}
