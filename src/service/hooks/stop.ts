// The stop hook: an external session ends its turn. Loads what the rule needs, and carries out what it says; when a stop
// is refused, and why, is in domain/hooks/stop.ts.
import { acknowledge } from '../../domain/callbacks/operate.js';
import { awaitedChildren, awaitsPull } from '../../domain/callbacks/pull.js';
import { ok, type Result } from '../../domain/errors.js';
import { boundedText } from '../../domain/excerpt.js';
import { goOn, mayEnd, type HookResult } from '../../domain/hooks/result.js';
import { withIdentity } from '../../domain/hooks/context.js';
import type { StopEvent, SubagentStopEvent } from '../../domain/hooks/event.js';
import { acceptsRefusal, mayRepeat } from '../../domain/hooks/refusals.js';
import { repeatedPrompt } from '../../domain/hooks/repeat.js';
import {
  firstStep,
  pullWaitMs,
  refusingRequest,
  stepAfterPull,
  endAnyway,
  allowedStop,
  type Awaited,
  type Stop as StopFacts,
} from '../../domain/hooks/stop.js';
import type { Completion, Session } from '../../domain/records/records.js';
import { sessionReported } from '../../domain/sessions/external.js';
import type { PulledCallbacks } from '../../ports/api/index.js';
import type { HookOptions } from '../../ports/hook-service.js';
import type { SignsOfLife } from '../sessions/signs-of-life.js';
import type { Caller } from '../caller.js';
import { andThen } from '../results.js';
import { pullCallbacks, type PullCallbacksParts } from '../callbacks/pull-callbacks.js';
import { StopReceipt } from './stop-receipt.js';
import { hookedSession, sessionFactsOf } from './hooked-session.js';
import type { StopHookState, StopHookStates } from './stop-hook-state.js';

interface Parts extends PullCallbacksParts {
  readonly stopHookStates: StopHookStates;
  readonly signs: SignsOfLife;
}

type AnyStopEvent = StopEvent | SubagentStopEvent;

/** A stop, and what answering it needs. */
interface Stop<E extends AnyStopEvent = AnyStopEvent> extends StopFacts<E> {
  readonly caller: Caller<Parts>;
  readonly options: HookOptions;
  readonly state: StopHookState;
  /** Whether callbacks may be handed over again. */
  readonly repeats: boolean;
  readonly receipt: StopReceipt;
}

/** @see HookService.answer */
export async function answerStop(
  caller: Caller<Parts>,
  event: StopEvent,
  options: HookOptions,
): Promise<Result<HookResult>> {
  return andThen(hookedSession(caller, event, options), async (session) => {
    const ending = endAnyway({ event, session });
    if (ending !== null) return ok(ending);
    const stop = stopOf(caller, event, options, session);
    await acknowledgeHanded(stop);
    switch (firstStep(stop, session.external && (await stop.receipt.isThere()))) {
      case 'remind':
        return remind(stop);
      case 'pull':
        return handOverCallbacks(stop);
      case 'report':
        return endOfTurn(stop);
      case 'end':
        return ok(mayEnd(null));
    }
  });
}

/** The stop of a sub-agent that counts as a child. It receives no callbacks; it only has to record its result. */
export async function answerChildStop(
  caller: Caller<Parts>,
  event: SubagentStopEvent,
  options: HookOptions,
  child: Session,
): Promise<Result<HookResult>> {
  const ending = endAnyway({ event, session: child });
  return ending === null ? endOfTurn(stopOf(caller, event, options, child)) : ok(ending);
}

function stopOf<E extends AnyStopEvent>(
  caller: Caller<Parts>,
  event: E,
  options: HookOptions,
  session: Session,
): Stop<E> {
  const { stopHookStates, limits } = caller.context;
  const state = stopHookStates.of(session.sessionId, event.repeated, options.invocation ?? null);
  const refusable = acceptsRefusal(event.client, state.refusals, options.refusalsMax ?? null, limits);
  const receipt = new StopReceipt(caller.context, session, options.invocation);
  const repeats = mayRepeat(state.unconfirmed, limits);
  return { caller, event, options, session, state, refusable, repeats, receipt };
}

/** Acknowledges the callbacks that the last refusal handed over: the client has continued since. */
async function acknowledgeHanded({ caller, session, state }: Stop): Promise<void> {
  for (const callbackId of state.handed) {
    await caller.context.transactions.decide(
      session.rootSessionId,
      [{ load: 'callback', callbackId }],
      (unit) => acknowledge(unit, callbackId),
    );
  }
}

/**
 * Pulls callbacks: those that are due, those that were handed over but not acknowledged, and those that become
 * due during the wait.
 */
function handOverCallbacks(stop: Stop<StopEvent>): Promise<Result<HookResult>> {
  const { caller, event, session, options } = stop;
  return andThen(awaitsCallbacks(stop), async (awaits) => {
    if (!awaits) return afterPull(stop, NONE, false);
    const completion = await caller.context.store.read.completion(session.sessionId);
    const waitMs = pullWaitMs(event, completion, options.waitMs ?? 0);
    const how = { repeats: stop.repeats, goesOn: true };
    return andThen(pullCallbacks(caller, session.sessionId, waitMs, options.signal, how), (pulled) =>
      afterPull(stop, pulled, waitMs > 0 || options.signal?.aborted === true),
    );
  });
}

const NONE: PulledCallbacks = { items: [], next_cursor: null };

async function afterPull(
  stop: Stop<StopEvent>,
  pulled: PulledCallbacks,
  isOpen: boolean,
): Promise<Result<HookResult>> {
  switch (stepAfterPull(stop.event, pulled.items.length, isOpen)) {
    case 'hand_over':
      refuse(
        stop,
        pulled.items.map((one) => one.callback_id),
      );
      return ok(goOn(handOverText(pulled)));
    case 'wait':
      return ok({ verdict: 'waiting', text: null });
    case 'report':
      return endOfTurn(stop);
    case 'end':
      return ok(mayEnd(null));
  }
}

function awaitsCallbacks(stop: Stop): Promise<Result<boolean>> {
  return stop.caller.context.transactions.decideOnSession(stop.session, (unit, sessionId) =>
    awaitsPull(unit, sessionId, stop.repeats),
  );
}

/** The text that hands callbacks over to a session. */
export function handOverText({ items, remaining = 0, state_summary: summary }: PulledCallbacks): string {
  const more =
    remaining === 0
      ? []
      : [`${String(remaining)} more wait: they are handed over when you next end your turn.`];
  const state = summary === undefined ? [] : [summary];
  return [...items.map(({ message }) => message ?? ''), ...state, ...more].join('\n\n');
}

/**
 * Reports that the work, or an attempt to record it, has ended, and answers with what the completion then
 * requests. A repeated request for the same stop changes nothing and gets the same answer.
 */
async function endOfTurn(stop: Stop): Promise<Result<HookResult>> {
  const { caller, session } = stop;
  return andThen(reported(stop), async (completion) => {
    const request = refusingRequest(stop, completion);
    if (request !== null) {
      refuse(stop, []);
      const standing = await sessionFactsOf(caller, session, stop.options);
      return ok(goOn(withIdentity(standing, request.prompt)));
    }
    caller.context.stopHookStates.over(session.sessionId, invocationOf(stop), stop.state);
    return andThen(awaitedBy(stop), (awaited) => ok(allowedStop(stop, completion, awaited)));
  });
}

function awaitedBy(stop: Stop): Promise<Result<Awaited>> {
  const { transactions } = stop.caller.context;
  return andThen(awaitsCallbacks(stop), (callbacks) =>
    andThen(transactions.decideOnSession(stop.session, awaitedChildren), (children) =>
      ok({ callbacks, children }),
    ),
  );
}

async function reported({ caller, event, session, receipt }: Stop): Promise<Result<Completion>> {
  const { limits } = caller.context;
  const report = {
    type: 'session_stop' as const,
    resultText: event.lastMessage === null ? null : boundedText(event.lastMessage, limits.resultBytesMax / 2),
    resultData: null,
    executorSessionId: event.hook === 'subagent-stop' ? event.agentId : null,
  };
  return receipt.transactions.effect('report_session', (decisions) =>
    decisions.decideOnSession(session, (unit, sessionId) => sessionReported(unit, sessionId, report)),
  );
}

/** Reminds a session of a runner of an open request. The coordinator sends its own when the run has ended. */
async function remind(stop: Stop): Promise<Result<HookResult>> {
  const { caller, session } = stop;
  return andThen(caller.context.transactions.decideOnSession(session, repeatedPrompt), (text) => {
    if (text === null) return ok(mayEnd(null));
    refuse(stop, []);
    return ok(goOn(text));
  });
}

function refuse(stop: Stop, handed: readonly string[]): void {
  const { caller, session, state } = stop;
  caller.context.stopHookStates.refused(session.sessionId, invocationOf(stop), state, handed);
}

function invocationOf({ options }: Stop): string | null {
  return options.invocation ?? null;
}
