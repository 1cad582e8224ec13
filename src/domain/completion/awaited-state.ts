// A child that has to record its result in a state which its root may create later (`await_state`). If the root
// creates none, the completion fails, and the parent gets to know.
import type { Completion } from '../records/records.js';
import { completionWith } from '../lifecycle/completion.js';

/** True if the child's settings require a state. */
export function hasTerms({ settings }: Completion): boolean {
  return settings.contract !== null || settings.writeScope !== null || settings.awaitState === true;
}

/** The next step for a completion whose work has ended in a tree without a state. */
type Without =
  | { readonly awaits: true; readonly completion: Completion }
  | {
      readonly awaits: false;
      readonly completion: Completion;
      readonly status: 'failed' | 'skipped';
      readonly reason: string;
    };

/** Waits for the state as long as one update may take. Does not wait for a state that existed and was deleted. */
export function awaitState(completion: Completion, now: number): Without {
  const { awaitState: asked, timeoutMs } = completion.settings;
  if (asked !== true || completion.attempt > 0) {
    return { awaits: false, completion, status: 'skipped', reason: 'The tree has no workflow state.' };
  }
  // A later time is that of callbacks which it had to pull first.
  const { dueAt } = completion;
  if (completion.status !== 'pending' || dueAt === null || dueAt > now + timeoutMs) {
    const awaiting = completionWith(completion, 'pending', {
      reason: AWAITS_STATE,
      dueAt: now + timeoutMs,
    });
    return { awaits: true, completion: awaiting };
  }
  if (dueAt > now) return { awaits: true, completion };
  return {
    awaits: false,
    completion: { ...completion, causeFingerprint: 'no workflow state' },
    status: 'failed',
    reason: `The work has ended, and the root opened no workflow state within ${String(timeoutMs)} ms (await_state).`,
  };
}

const AWAITS_STATE = 'The work has ended; the workflow state is still to be opened by the root.';

/** If the completion waits for the state, it becomes due at once. */
export function stateOpened(completion: Completion, now: number): Completion {
  const awaits = completion.status === 'pending' && completion.attempt === 0 && completion.dueAt !== null;
  return awaits ? { ...completion, dueAt: now } : completion;
}
