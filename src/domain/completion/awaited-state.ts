// A child that is held to a state which its root may open later (`await_state`). Without one its promise cannot be kept,
// and the parent is told.
import type { Completion } from '../records/records.js';
import { completionWith } from './status.js';

/** Something was agreed with the child that only a state can show. */
export function hasTerms({ settings }: Completion): boolean {
  return settings.contract !== null || settings.writeScope !== null || settings.awaitState === true;
}

/** What becomes of a completion whose work has ended in a tree without a state. */
type Without =
  | { readonly awaits: true; readonly completion: Completion }
  | {
      readonly awaits: false;
      readonly completion: Completion;
      readonly status: 'failed' | 'skipped';
      readonly reason: string;
    };

/** The state is awaited for as long as one update may take. One that was there and is gone is not awaited. */
export function awaitState(completion: Completion, now: number): Without {
  const { awaitState: asked, timeoutMs } = completion.settings;
  if (asked !== true || completion.attempt > 0) {
    return { awaits: false, completion, status: 'skipped', reason: 'The tree has no workflow state.' };
  }
  if (completion.status !== 'pending' || completion.dueAt === null) {
    const awaiting = completionWith(completion, 'pending', {
      reason: AWAITS_STATE,
      dueAt: now + timeoutMs,
    });
    return { awaits: true, completion: awaiting };
  }
  if (completion.dueAt > now) return { awaits: true, completion };
  return {
    awaits: false,
    completion: { ...completion, causeFingerprint: 'no workflow state' },
    status: 'failed',
    reason: `The work has ended, and the root opened no workflow state within ${String(timeoutMs)} ms (await_state).`,
  };
}

const AWAITS_STATE = 'The work has ended; the workflow state is still to be opened by the root.';

/** A child that waits for the state is asked at once: its time has come. */
export function stateOpened(completion: Completion, now: number): Completion {
  const awaits = completion.status === 'pending' && completion.attempt === 0 && completion.dueAt !== null;
  return awaits ? { ...completion, dueAt: now } : completion;
}
