// When the stop of a session is refused, and why; the first that applies decides:
//
// 1. A client session that the session is not bound to, or a session that was stopped, may stop.
// 2. A session of a runner is reminded of an open request, once per turn. Its runner reports for it.
// 3. Callbacks are waiting: the session goes on with them. A stop that was reported before skips this.
// 4. The completion requests the result, once the end of the work is reported: the session goes on with that.
//
// Background tasks of a client wake its session again, so a stop with open tasks ends no work: only callbacks refuse it.
// How often in a row a stop may be refused is in refusals.ts.
import { boundedText } from '../excerpt.js';
import { unframed } from '../framing.js';
import type { Completion, Session } from '../records/records.js';
import type { StopEvent, SubagentStopEvent } from './event.js';
import { isElsewhere } from './nested.js';
import { capNotice, endNotice } from './refusals.js';
import { mayEnd, type HookResult } from './result.js';

/** A stop of a session, or of a sub-agent that counts as a child. */
export interface Stop<E extends StopEvent | SubagentStopEvent = StopEvent | SubagentStopEvent> {
  readonly event: E;
  readonly session: Session;
  /** Whether the client accepts one more refusal. */
  readonly refusable: boolean;
}

const SHOWN_CHARACTERS_MAX = 200;

/** The answer to a stop that the session's completion does not affect; `null` for any other stop. */
export function endAnyway({ event, session }: Pick<Stop, 'event' | 'session'>): HookResult | null {
  if (event.hook === 'stop' && isElsewhere(session, event)) {
    const other = unframed(boundedText(session.executorSessionId ?? '', SHOWN_CHARACTERS_MAX));
    return mayEnd(
      `Countersign: ${session.sessionName} is the client's session ${other}; this session may stop.`,
    );
  }
  return session.status === 'stopped' ? mayEnd(null) : null;
}

/**
 * What any other stop of a session calls for first. `remind`: the stop is refused if a request is open. `pull`: it is
 * refused if callbacks are waiting, see `stepAfterPull`. `report`: the work has ended. `end`: it may stop.
 *
 * @param wasReported - True if this very stop was reported before.
 */
export function firstStep(
  { event, session, refusable }: Stop<StopEvent>,
  wasReported: boolean,
): 'remind' | 'pull' | 'report' | 'end' {
  if (!session.external) return endsWork(event) && !event.repeated && refusable ? 'remind' : 'end';
  if (wasReported) return 'report';
  if (session.delivery === 'pull' && refusable) return 'pull';
  return endsWork(event) ? 'report' : 'end';
}

/**
 * How long a pull may wait for callbacks, milliseconds. While an attempt is open its timeout runs, and a wait would use
 * that time up.
 *
 * @param offeredMs - How long the client's hook waits.
 */
export function pullWaitMs(
  event: StopEvent,
  completion: Pick<Completion, 'status'> | null,
  offeredMs: number,
): number {
  return endsWork(event) && completion?.status !== 'pending' ? offeredMs : 0;
}

/**
 * What follows from a pull. `hand_over`: the stop is refused. `wait`: the client may ask again about the same stop.
 *
 * @param isOpen - True if callbacks are still to come, and the time to wait was over or the client has gone.
 */
export function stepAfterPull(
  event: StopEvent,
  callbacks: number,
  isOpen: boolean,
): 'hand_over' | 'wait' | 'report' | 'end' {
  if (callbacks > 0) return 'hand_over';
  if (isOpen) return 'wait';
  return endsWork(event) ? 'report' : 'end';
}

/** The request that refuses a stop whose end of work is reported; `null` if the session may stop. */
export function refusingRequest(
  { refusable }: Pick<Stop, 'refusable'>,
  { request }: Pick<Completion, 'request'>,
): Completion['request'] {
  return refusable ? request : null;
}

/** What a session that may stop waits for. */
export interface Awaited {
  /** True if there are callbacks that it gets by pulling, now or later. */
  readonly callbacks: boolean;
  /** Names of the children that they are of. */
  readonly children: readonly string[];
}

/** The answer to a stop that nothing refuses, with the notice to people. */
export function allowedStop(
  { event, refusable }: Pick<Stop, 'event' | 'refusable'>,
  completion: Completion,
  { callbacks, children }: Awaited,
): HookResult {
  if (completion.request !== null) {
    return mayEnd(capNotice(event.client, 'Its result is not recorded yet.'));
  }
  if (callbacks && !refusable) return mayEnd(capNotice(event.client, 'Callbacks wait for it.'));
  return mayEnd(endNotice(completion, callbacks, children));
}

function endsWork({ openTasks }: StopEvent): boolean {
  return openTasks === 0;
}
