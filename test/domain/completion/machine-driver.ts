// Plays events on one completion, as whoever carries out its effects does: what it asks for is asked at once.
import type { CompletionEffect, CompletionEvent, Situation } from '../../../src/domain/completion/events.js';
import { step } from '../../../src/domain/completion/machine.js';
import { newCompletion } from '../../../src/domain/completion/new-completion.js';
import type { Violation } from '../../../src/domain/errors.js';
import type { ChangesAt } from '../../../src/domain/json/changed-locations.js';
import { overlaps } from '../../../src/domain/json/pointer.js';
import { DEFAULT_LIMITS, type Limits } from '../../../src/domain/limits.js';
import type { Completion, CompletionSettings, WorkOutcome } from '../../../src/domain/records/records.js';
import { completionSettings, NOW } from '../../store/records.js';

export const WRONG: Violation = {
  pointer: '/n',
  keyword: 'type',
  message: 'must be integer',
  expected: 'integer',
};

/** A child of a tree with a state, whose own children are done. */
export const CHILD: Situation = {
  hasState: true,
  isRoot: false,
  awaitsCallbacks: false,
  contractViolations: () => [],
};

export function idleIn(over: Partial<Situation> = {}): CompletionEvent {
  return { type: 'idle', situation: { ...CHILD, ...over } };
}

export function workEnded(
  outcome: WorkOutcome = 'completed',
  resultText: string | null = null,
): CompletionEvent & { type: 'work_ended' } {
  return { type: 'work_ended', outcome, resultText, resultData: null, error: null, cause: null };
}

/** The changes of a write at one location, and around it. */
export function changedAt(location: string): ChangesAt {
  return (pointer) => overlaps(location, pointer);
}

export function wrote(version: number, ...contractViolations: Violation[]): CompletionEvent {
  return {
    type: 'written',
    by: 'child',
    version,
    patch: [{ op: 'add', path: '/n', value: version }],
    changesAt: changedAt('/n'),
    valueHashAt: () => `hash of ${String(version)}`,
    contractViolations,
  };
}

export function updateEnded(
  how: (CompletionEvent & { type: 'update_ended' })['how'],
  error: string | null = null,
): CompletionEvent {
  return { type: 'update_ended', how, error };
}

export interface Playing {
  readonly settings?: Partial<CompletionSettings>;
  readonly limits?: Partial<Limits>;
  readonly external?: boolean;
}

export class Machine {
  completion: Completion;
  /** Effects of all events so far, oldest first. */
  readonly effects: CompletionEffect[] = [];
  now = NOW;
  readonly #limits: Limits;
  readonly #external: boolean;
  #runs = 0;

  constructor({ settings = {}, limits = {}, external = false }: Playing = {}) {
    this.#limits = { ...DEFAULT_LIMITS, ...limits };
    this.#external = external;
    this.completion = newCompletion(
      { sessionId: 'ses_1', generation: 1, rootSessionId: 'ses_root' },
      completionSettings(settings),
      this.now,
    );
  }

  /** Plays events in order. @returns The effects of the last of them. */
  play(...events: readonly CompletionEvent[]): readonly CompletionEffect[] {
    let last: readonly CompletionEffect[] = [];
    for (const event of events) last = this.#play(event);
    return last;
  }

  #play(event: CompletionEvent): readonly CompletionEffect[] {
    this.now += 1;
    const { completion, effects } = step(this.completion, event, this.now, this.#limits);
    this.completion = completion;
    this.effects.push(...effects);
    if (effects.some((one) => one.type === 'request_update')) {
      const requested = this.#external
        ? ({ type: 'update_requested', runId: null, prompt: 'Record it.' } as const)
        : ({ type: 'update_requested', runId: `run_${(this.#runs += 1)}`, prompt: null } as const);
      this.completion = step(completion, requested, this.now, this.#limits).completion;
    }
    return effects;
  }

  get releases(): number {
    return this.effects.filter((one) => one.type === 'queue_callback').length;
  }
}

/** Effects in short: `request 2 @5000` is the second attempt after five seconds. */
export function inShort(effects: readonly CompletionEffect[]): string {
  return effects
    .map((one) => {
      if (one.type === 'queue_callback') return 'callback';
      if (one.type === 'cancel_request') return one.stop ? 'stop' : 'cancel';
      return `request ${one.attempt} level ${one.level} @${one.delayMs}${one.environmentTrouble ? ' again' : ''}`;
    })
    .join(', ');
}
