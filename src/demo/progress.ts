// Follows the story on the service's own event stream: what each event says, and whether anything is still under way.
import type { CompletionView, StreamEvent } from '../client/index.js';
import { ROOT } from './children.js';

const RUN_ENDS = new Set(['completed', 'failed', 'stopped', 'timed_out']);
const CALLBACK_WAITS = new Set(['held', 'queued']);

export class Progress {
  readonly #open = new Set<string>();
  readonly #names = new Map<string, string>();
  readonly #prompts = new Map<string, string>();
  #begun = false;

  /** True after a whole commit that leaves no run, no completion and no callback under way. */
  get isOver(): boolean {
    return this.#begun && this.#open.size === 0;
  }

  /** @returns Whom the event is about and what it says; `null` for an event that says nothing new. */
  apply(event: StreamEvent): readonly [who: string, text: string] | null {
    switch (event.event) {
      case 'session_updated':
        this.#names.set(event.data.session_id, event.data.session_name);
        return null;
      case 'run_updated':
        this.#names.set(event.data.session_id, event.data.session_name);
        this.#mark(event.data.run_id, !RUN_ENDS.has(event.data.status));
        return this.#run(event.data);
      case 'completion_updated':
        this.#mark(event.data.session_id, !event.data.released);
        return this.#completion(event.data);
      case 'callback_updated':
        this.#mark(event.data.callback_id, CALLBACK_WAITS.has(event.data.status));
        return null;
      case 'workflow_state_updated': {
        const { version, patch, updated_by_session: by } = event.data;
        const pointers = patch.map(({ path }) => path || 'the whole document').join(', ');
        return [this.nameOf(by ?? ''), `writes version ${version}: ${pointers}`];
      }
      default:
        return null;
    }
  }

  nameOf(sessionId: string): string {
    return this.#names.get(sessionId) ?? '(operator)';
  }

  #mark(id: string, isOpen: boolean): void {
    this.#begun = true;
    if (isOpen) this.#open.add(id);
    else this.#open.delete(id);
  }

  #run(run: DataOf<'run_updated'>): readonly [string, string] | null {
    const who = run.session_name;
    if (run.status === 'running') {
      if (run.purpose === 'callback') return [who, 'is resumed with a callback'];
      if (run.purpose === 'work') return [who, 'starts'];
      return [who, `is asked to record its result: prompt ${this.#prompts.get(run.session_id) ?? '?'}`];
    }
    if (!RUN_ENDS.has(run.status)) return null;
    if (run.status !== 'completed')
      return [who, `its process ${run.status}: ${run.error ?? 'no reason given'}`];
    if (run.purpose === 'state_update') return null;
    return [who, who === ROOT ? 'its process ends: the parent waits for callbacks' : 'its work ends'];
  }

  #completion(data: DataOf<'completion_updated'>): readonly [string, string] | null {
    this.#prompts.set(data.session_id, `${data.attempt} of ${data.max_attempts}`);
    if (!data.released) return null;
    const failed = data.state_update_status === 'completed' ? '' : `: ${data.reason ?? 'no reason given'}`;
    return [this.nameOf(data.session_id), `its callback is released: ${data.state_update_status}${failed}`];
  }
}

type DataOf<K extends StreamEvent['event']> = Extract<StreamEvent, { event: K }>['data'];

/** What came of the prompt that a run answered, where nothing was recorded. */
export function attemptText({ attempts }: CompletionView, runId: string): string | null {
  const attempt = attempts.find(({ run_id }) => run_id === runId);
  if (attempt === undefined || attempt.outcome === 'recorded') return null;
  if (attempt.outcome === 'no_write') return 'answers in prose and writes nothing';
  const errors = attempt.errors.map(({ pointer, message }) => `${pointer} ${message}`);
  return attempt.outcome === 'contract_failed'
    ? `its write is refused: ${errors.join('; ')}`
    : `its attempt ends as ${attempt.outcome}`;
}
