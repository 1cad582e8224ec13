// What a completion keeps for the parent: the result of the child's work, and the changes that it wrote.
import { mayChange } from '../json/patch-locations.js';
import { isSameContract } from './same-contract.js';
import type { BrokenContract, Completion, CompletionSettings } from '../records/records.js';
import type { ChangesAt } from '../json/changed-locations.js';
import type { CompletionEvent, MachineLimits } from './events.js';

/** Records an accepted, changing write of the child, or of a sub-agent that works for it. */
export function noteChange(
  completion: Completion,
  event: CompletionEvent & { type: 'written' | 'written_for' },
  limits: MachineLimits,
): Completion {
  const { contract } = completion.settings;
  const isOfResult = isResult(completion.settings, event.changesAt);
  return {
    ...completion,
    ...keptChanges(completion, event, limits),
    wrote: completion.wrote || isOfResult,
    resultHash: isOfResult && contract !== null ? event.valueHashAt(contract.pointer) : completion.resultHash,
    broken: event.type === 'written' ? brokenBy(completion, event, limits) : completion.broken,
    lastWriteVersion: event.version,
  };
}

/** The changes with one more, as long as there is room for all of them. */
function keptChanges(
  { changes, changesTruncated }: Completion,
  { version, patch }: CompletionEvent & { type: 'written' | 'written_for' },
  { callbackChangesBytesMax }: MachineLimits,
): Pick<Completion, 'changes' | 'changesTruncated'> {
  if (changesTruncated) return { changes, changesTruncated };
  const longer = [...changes, { version, patch }];
  const fits = Buffer.byteLength(JSON.stringify(longer)) <= callbackChangesBytesMax;
  return fits ? { changes: longer, changesTruncated } : { changes, changesTruncated: true };
}

/** A write of the child itself may satisfy its contract again, or break it once it is recorded. */
function brokenBy(
  { broken, status, releasedAt }: Completion,
  { by, version, contractViolations }: CompletionEvent & { type: 'written' },
  { violationsMax }: MachineLimits,
): BrokenContract | null {
  if (contractViolations.length === 0) return null;
  if (broken !== null || status !== 'completed' || releasedAt !== null) return broken;
  return { by, version, errors: contractViolations.slice(0, violationsMax) };
}

/** True if a change counts as the result: it is one of the contract's location, or there is no contract. */
function isResult({ contract }: CompletionSettings, changesAt: ChangesAt): boolean {
  return contract === null || changesAt(contract.pointer);
}

/** True if the value at the contract's location is what the session wrote there last. */
export function isOwnResult({ wrote, resultHash }: Completion, valueHash: string): boolean {
  return wrote && (resultHash === null || resultHash === valueHash);
}

/**
 * The completion with other settings. What it wrote before counts if it is the result that they ask for. What was wrong by
 * another contract does not.
 */
export function withSettings(completion: Completion, settings: CompletionSettings): Completion {
  const [before, now] = [completion.settings.contract, settings.contract];
  const isSameLocation = now?.pointer === before?.pointer;
  const wrote = isSameLocation
    ? completion.wrote
    : completion.changes.some(({ patch }) => isResult(settings, (pointer) => mayChange(patch, pointer))) ||
      ((settings.contract === null || completion.changesTruncated) && completion.lastWriteVersion !== null);
  const isSame = isSameContract(before, now);
  const resultHash = isSameLocation ? completion.resultHash : null;
  return { ...completion, settings, wrote, resultHash, ...(isSame ? {} : { broken: null, lastErrors: [] }) };
}

/**
 * Records the result of the work. Each further work run of the generation replaces the text and the data that it has; one
 * that says nothing keeps those of the run before. Update runs never call this.
 */
export function workEnded(
  completion: Completion,
  event: CompletionEvent & { type: 'work_ended' },
): Completion {
  if (completion.releasedAt !== null) return late(completion, event);
  // The time in which the root may open the state counts from the first end of the work.
  const awaitsState = completion.status === 'pending' && completion.attempt === 0;
  return {
    ...completion,
    dueAt: awaitsState ? completion.dueAt : null,
    workOutcome: event.outcome,
    resultText: isBlank(event.resultText) ? (completion.resultText ?? event.resultText) : event.resultText,
    resultData: event.resultData ?? completion.resultData,
    workError: event.error,
    workCause: event.cause,
  };
}

/** Keeps the result that a lost session reports later, if there was none before. The parent gets no second callback. */
function late(completion: Completion, event: CompletionEvent & { type: 'work_ended' }): Completion {
  const { workOutcome, resultText, resultData } = completion;
  if (workOutcome !== 'lost' || !isBlank(resultText) || resultData !== null) return completion;
  if (isBlank(event.resultText) && event.resultData === null) return completion;
  return { ...completion, resultText: event.resultText, resultData: event.resultData };
}

/** True for no text, and for one that says nothing. */
function isBlank(text: string | null): boolean {
  return text === null || text.trim() === '';
}
