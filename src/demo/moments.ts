// What has happened so far, as lines of a timeline. Pure: a snapshot in, moments out, each known by its key.
import type { CompletionView, EventView, JsonValue, RunView } from '../client/index.js';
import { isJsonArray, isJsonObject } from '../domain/json/json.js';
import { ROOT } from './cast.js';
import type { Snapshot } from './snapshot.js';

export type Tone = 'plain' | 'good' | 'bad' | 'warning' | 'parent';

export interface Moment {
  /** The same moment has the same key in every snapshot. */
  readonly key: string;
  /** Service time, milliseconds since the Unix epoch. */
  readonly at: number;
  /** Order of moments at one time. */
  readonly rank: number;
  readonly who: string;
  readonly text: string;
  readonly tone: Tone;
  /** A child has come back with it, for better or worse. */
  readonly handsOver?: boolean;
}

/** Every moment of the story so far, oldest first. */
export function momentsOf(snapshot: Snapshot): Moment[] {
  const moments = [
    ...snapshot.runs.flatMap((run) => momentsOfRun(run, snapshot)),
    ...snapshot.events.map((event) => momentOfEvent(event, snapshot)),
    ...snapshot.sessions.flatMap(({ session_id, session_name }) => {
      const completion = snapshot.completions.get(session_id);
      return completion === undefined ? [] : momentsOfCompletion(completion, session_name, snapshot);
    }),
  ];
  return moments.sort((a, b) => a.at - b.at || a.rank - b.rank);
}

const PROMPTS: Readonly<Record<number, string>> = {
  1: 'what to record, the state, the schema, how',
  2: 'a warning, with the errors of last time',
  3: 'nothing but the one call to make',
};

function momentsOfRun(run: RunView, snapshot: Snapshot): Moment[] {
  const who = run.session_name;
  const moments: Moment[] = [];
  const began = (text: string, tone: Tone) =>
    moments.push(moment(`${run.run_id} started`, run.started_at, 0, who, text, tone));
  if (run.purpose === 'state_update') {
    const { attempt, of } = run.metadata;
    const level = typeof attempt === 'number' ? Math.min(attempt, 3) : 1;
    began(`prompt ${plainText(attempt)} of ${plainText(of)} sent: ${PROMPTS[level] ?? ''}`, 'plain');
  } else if (run.purpose === 'callback') {
    began(`parent resumed with the callback of ${sourcesOf(run)}`, 'parent');
  } else {
    began('session started', who === ROOT ? 'parent' : 'plain');
  }
  const ended = endOfWork(run, snapshot);
  if (ended !== null) {
    moments.push(moment(`${run.run_id} ended`, run.completed_at, 3, who, ended.text, ended.tone));
  }
  return moments.filter(({ at }) => !Number.isNaN(at));
}

/** What the end of a run means; `null` for an update run, of which the attempt tells. */
function endOfWork(run: RunView, snapshot: Snapshot): { text: string; tone: Tone } | null {
  if (run.completed_at === null || run.purpose === 'state_update') return null;
  const error = run.error === null ? '' : `: ${run.error}`;
  if (run.status !== 'completed') return { text: `its process ${run.status}${error}`, tone: 'bad' };
  if (run.session_name !== ROOT) {
    const completion = snapshot.completions.get(run.session_id);
    const isIn = completion?.state_update_status === 'completed' && completion.attempts.length === 0;
    return isIn
      ? { text: 'work ended; its contract holds already: no phase 2', tone: 'good' }
      : { text: 'work ended -> phase 2: it has to record its result', tone: 'plain' };
  }
  const isLast = snapshot.state?.updated_at !== undefined && isCompleted(snapshot.state.current_data);
  const isNewest = snapshot.runs.filter((one) => one.session_name === ROOT).at(-1)?.run_id === run.run_id;
  return {
    text: isLast && isNewest ? 'its process has ended: done' : 'its process has ended: the parent sleeps',
    tone: 'parent',
  };
}

function momentOfEvent(event: EventView, { sessions, runs, completions }: Snapshot): Moment {
  const who =
    sessions.find(({ session_id }) => session_id === event.session_id)?.session_name ?? '(operator)';
  const places = pointersOf(event.patch).join(', ');
  if (who === ROOT) {
    const what = event.kind === 'create' ? 'state created at version' : 'parent wrote version';
    const text = event.kind === 'create' ? `${what} ${event.version}` : `${what} ${event.version}: ${places}`;
    return moment(event.event_id, event.created_at, 1, who, text, 'parent');
  }
  const atWork = runs.find(({ run_id }) => run_id === event.run_id)?.purpose === 'work';
  const attempts = completions.get(event.session_id ?? '')?.attempts ?? [];
  const when = atWork ? ' (while at work)' : attempts.length > 1 ? ' (at last)' : '';
  const late = event.late ? ', late' : '';
  return moment(
    event.event_id,
    event.created_at,
    1,
    who,
    `recorded ${places} at version ${event.version}${late}${when}`,
    'good',
  );
}

function momentsOfCompletion(completion: CompletionView, who: string, { callbacks }: Snapshot): Moment[] {
  const moments = completion.attempts.flatMap((attempt): Moment[] => {
    const text = textOfAttempt(attempt);
    const key = `${completion.session_id} attempt ${attempt.started_at}`;
    return text === null ? [] : [moment(key, attempt.ended_at, 2, who, text, 'warning')];
  });
  const status = completion.state_update_status;
  const asked = callbacks.some(({ child_session_id }) => child_session_id === completion.session_id);
  const released = completion.released_at;
  if (released !== null && asked) {
    const text =
      status === 'completed'
        ? 'callback released: its result is in the state'
        : `callback released: ${status ?? 'none'}. ${completion.reason ?? ''}`.trim();
    const tone = status === 'completed' ? 'good' : 'bad';
    moments.push({
      ...moment(`${completion.session_id} released`, released, 4, who, text, tone),
      handsOver: true,
    });
  }
  return moments.filter(({ at }) => !Number.isNaN(at));
}

function textOfAttempt({ outcome, errors }: CompletionView['attempts'][number]): string | null {
  switch (outcome) {
    case 'open':
    case 'recorded':
      return null;
    case 'no_write':
      return 'came back with prose, and wrote nothing';
    case 'contract_failed': {
      const told = errors.slice(0, 2).map(({ pointer, message }) => `${pointer} ${message}`);
      const more = errors.length > told.length ? ` (and ${errors.length - told.length} more)` : '';
      return `write refused: ${told.join('; ')}${more}`;
    }
    default:
      return `the attempt ended as ${outcome}`;
  }
}

/** Places that a patch touches; the whole document as such. */
export function pointersOf(patch: JsonValue): string[] {
  if (!isJsonArray(patch)) return [];
  return patch.flatMap((operation) => {
    const path = isJsonObject(operation) ? operation['path'] : undefined;
    return typeof path === 'string' ? [path === '' ? '(whole document)' : path] : [];
  });
}

function sourcesOf({ metadata }: RunView): string {
  const sources = metadata['callback_sources'];
  return isJsonArray(sources) ? sources.map(plainText).join(', ') : '(unknown)';
}

function isCompleted(document: JsonValue): boolean {
  return isJsonObject(document) && document['status'] === 'completed';
}

function moment(key: string, at: string | null, rank: number, who: string, text: string, tone: Tone): Moment {
  return { key, at: at === null ? NaN : Date.parse(at), rank, who, text, tone };
}

function plainText(value: JsonValue | undefined): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '?';
}
