// The stop hook: an external session ends its turn. The hook refuses the stop if the completion requests its result,
// or if callbacks are waiting. A session of a runner is only reminded: its runner reports for it.
import { acknowledge } from '../../domain/callbacks/operate.js';
import { awaitedChildren, awaitsPull } from '../../domain/callbacks/pull.js';
import { ok, type Result } from '../../domain/errors.js';
import { boundedText } from '../../domain/excerpt.js';
import { unframed } from '../../domain/framing.js';
import { goOn, mayEnd, type HookResult } from '../../domain/hooks/result.js';
import { withIdentity } from '../../domain/hooks/context.js';
import type { StopEvent, SubagentStopEvent } from '../../domain/hooks/event.js';
import { isElsewhere } from '../../domain/hooks/nested.js';
import { capNotice, endNotice, acceptsRefusal } from '../../domain/hooks/refusals.js';
import { repeatedPrompt } from '../../domain/hooks/repeat.js';
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

const SHOWN_CHARACTERS_MAX = 200;

/** A stop, with the facts collected about it. */
interface Stop {
  readonly caller: Caller<Parts>;
  readonly event: StopEvent | SubagentStopEvent;
  readonly options: HookOptions;
  readonly session: Session;
  readonly state: StopHookState;
  readonly refusable: boolean;
  readonly receipt: StopReceipt;
}

/** @see HookService.answer */
export async function answerStop(
  caller: Caller<Parts>,
  event: StopEvent,
  options: HookOptions,
): Promise<Result<HookResult>> {
  return andThen(hookedSession(caller, event, options), async (session) => {
    if (isElsewhere(session, event)) return ok(mayEnd(elsewhere(session)));
    if (session.status === 'stopped') return ok(mayEnd(null));
    const stop = stopOf(caller, event, options, session);
    await acknowledgeHanded(stop);
    // Background tasks of the client wake the session again, so a stop with open tasks is not the end of the work.
    const isEnd = event.openTasks === 0;
    if (!session.external) return isEnd ? remind(stop) : ok(mayEnd(null));
    if (await stop.receipt.isThere()) return endOfTurn(stop);
    return andThen(callbacksFor(stop, isEnd), (verdict) => {
      if (verdict !== null) return ok(verdict);
      return isEnd ? endOfTurn(stop) : ok(mayEnd(null));
    });
  });
}

/** The stop of a sub-agent that counts as a child. It receives no callbacks; it only has to record its result. */
export async function answerChildStop(
  caller: Caller<Parts>,
  event: SubagentStopEvent,
  options: HookOptions,
  child: Session,
): Promise<Result<HookResult>> {
  if (child.status === 'stopped') return ok(mayEnd(null));
  return endOfTurn(stopOf(caller, event, options, child));
}

function stopOf(
  caller: Caller<Parts>,
  event: StopEvent | SubagentStopEvent,
  options: HookOptions,
  session: Session,
): Stop {
  const { stopHookStates, limits } = caller.context;
  const state = stopHookStates.of(session.sessionId, event.repeated, options.invocation ?? null);
  const refusable = acceptsRefusal(event.client, state.refusals, options.refusalsMax ?? null, limits);
  const receipt = new StopReceipt(caller.context, session.sessionId, options.invocation);
  return { caller, event, options, session, state, refusable, receipt };
}

function elsewhere({ sessionName, executorSessionId }: Session): string {
  const other = unframed(boundedText(executorSessionId ?? '', SHOWN_CHARACTERS_MAX));
  return `Countersign: ${sessionName} is the client's session ${other}; this session may stop.`;
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
 *
 * @returns `null` if callbacks do not decide the stop.
 */
async function callbacksFor(stop: Stop, mayWait: boolean): Promise<Result<HookResult | null>> {
  const { caller, session, options, refusable } = stop;
  if (session.delivery !== 'pull') return ok(null);
  return andThen(awaits(stop), async (awaiting) => {
    if (!awaiting || !refusable) return ok(null);
    const completion = await caller.context.store.read.completion(session.sessionId);
    // While an attempt is open its timeout runs, and a wait would use that time up.
    const waitMs = !mayWait || completion?.status === 'pending' ? 0 : (options.waitMs ?? 0);
    const how = { repeats: mayRepeat(stop), goesOn: true };
    return andThen(pullCallbacks(caller, session.sessionId, waitMs, options.signal, how), (pulled) => {
      if (pulled.items.length > 0) return ok(handOver(stop, pulled));
      const isDisconnected = options.signal?.aborted === true;
      if (waitMs > 0 || isDisconnected) return ok<HookResult>({ verdict: 'waiting', text: null });
      return ok(null);
    });
  });
}

function awaits(stop: Stop): Promise<Result<boolean>> {
  return stop.caller.context.transactions.decideOnSession(stop.session, (unit, sessionId) =>
    awaitsPull(unit, sessionId, mayRepeat(stop)),
  );
}

/**
 * Whether callbacks may be handed over again. Bounded by `hookUnheardAttemptsMax`, so that a client that never
 * acknowledges them can end its turn.
 */
function mayRepeat({ caller, state }: Stop): boolean {
  return state.unconfirmed < caller.context.limits.hookUnheardAttemptsMax;
}

function handOver(stop: Stop, pulled: PulledCallbacks): HookResult {
  refuse(
    stop,
    pulled.items.map((one) => one.callback_id),
  );
  return goOn(handOverText(pulled));
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
  const { caller, event, session, refusable } = stop;
  return andThen(reported(stop), async (completion) => {
    const { request } = completion;
    if (request !== null && refusable) {
      refuse(stop, []);
      const standing = await sessionFactsOf(caller, session, stop.options);
      return ok(goOn(withIdentity(standing, request.prompt)));
    }
    caller.context.stopHookStates.over(session.sessionId, invocationOf(stop), stop.state);
    if (request !== null) return ok(mayEnd(capNotice(event.client, 'Its result is not recorded yet.')));
    return andThen(awaits(stop), (awaiting) =>
      andThen(caller.context.transactions.decideOnSession(session, awaitedChildren), (children) =>
        ok(
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

/** Reminds a session of a runner once per turn. The coordinator sends its own request when the run has ended. */
async function remind(stop: Stop): Promise<Result<HookResult>> {
  const { caller, event, session, refusable } = stop;
  if (event.repeated || !refusable) return ok(mayEnd(null));
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
