// The reason of a failed completion, as text for the parent.
import type { Completion, CompletionAttempt } from '../records/records.js';

/** @param last - The attempt that used up the last try. */
export function failureReason(completion: Completion, last: CompletionAttempt): string {
  const { broken } = completion;
  if (broken === null)
    return ownReason(completion, last, completion.lastWriteVersion === null ? 'nothing' : 'nothing new');
  const culprit = broken.by === null ? 'an operator' : `the session ${broken.by}`;
  const how = `Its result had been recorded; ${culprit} changed that place in version ${String(broken.version)}.`;
  return `${ownReason(completion, last, 'nothing again')} ${how}`;
}

/** @param error - The error of the client or the runner. */
export function permanentReason(error: string | null): string {
  return `The child cannot be asked, and no retry can help: ${error ?? 'it cannot run'}`;
}

function ownReason(completion: Completion, last: CompletionAttempt, recorded: string): string {
  const tries = `${String(completion.settings.attemptsMax)} of ${String(completion.settings.attemptsMax)} attempts`;
  switch (last.outcome) {
    case 'environment':
      return `The child could not be asked: ${completion.reason ?? 'its environment failed'} (${String(completion.environmentRetries)} tries).`;
    case 'configuration':
    case 'prompt_too_long':
      return permanentReason(completion.reason);
    case 'contract_failed':
      return `The child wrote, but not what was agreed (${tries}).`;
    case 'timed_out':
      return `The child did not answer in time (${tries}).`;
    case 'agent_failed':
      return `The child failed while it was asked to record its result (${tries}).`;
    default:
      return `The child recorded ${recorded} (${tries}).`;
  }
}
