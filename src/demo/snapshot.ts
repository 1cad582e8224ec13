// Everything that the service knows of the story at one moment, read over HTTP as anyone could.
import type {
  CallbackView,
  CompletionView,
  CountersignService,
  EventView,
  Listed,
  Outcome,
  PageQuery,
  RunView,
  SessionView,
  StateEnvelope,
} from '../client/index.js';
import { ROOT } from './cast.js';
import { granted } from './fault.js';

export interface Snapshot {
  readonly sessions: readonly SessionView[];
  readonly runs: readonly RunView[];
  readonly callbacks: readonly CallbackView[];
  /** Of the children, by session id. */
  readonly completions: ReadonlyMap<string, CompletionView>;
  /** `null` before the root has made it. */
  readonly state: StateEnvelope | null;
  readonly events: readonly EventView[];
}

const PAGE = { limit: 1000 };

/** A list to its end. */
async function all<T>(list: (query: PageQuery) => Promise<Outcome<Listed<T>>>): Promise<readonly T[]> {
  const items: T[] = [];
  let page = granted(await list(PAGE));
  items.push(...page.items);
  while (page.next_cursor !== null) {
    page = granted(await list({ ...PAGE, cursor: page.next_cursor }));
    items.push(...page.items);
  }
  return items;
}

/** The database holds nothing but the story, so that all there is belongs to it. */
export async function takeSnapshot(service: CountersignService): Promise<Snapshot> {
  const [sessions, runs, callbacks, found] = await Promise.all([
    all((query) => service.sessions.list(query)),
    all((query) => service.runs.list(query)),
    all((query) => service.callbacks.list(query)),
    service.sessions.state(ROOT),
  ]);
  const children = sessions.filter((session) => session.parent_session_id !== null);
  const [events, completions] = await Promise.all([
    found.ok ? service.states.events(found.value.state_id, { since: 0, limit: 1000 }).then(granted) : null,
    Promise.all(children.map(({ session_id }) => service.sessions.completion(session_id).then(granted))),
  ]);
  return {
    sessions,
    runs,
    callbacks,
    completions: new Map(completions.map((one) => [one.session_id, one])),
    state: found.ok ? found.value : null,
    events: events?.events ?? [],
  };
}

/** True where nothing is under way or waiting any more. */
export function isOver({ runs, callbacks }: Snapshot): boolean {
  return (
    runs.length > 0 &&
    runs.every((run) => run.completed_at !== null) &&
    callbacks.every(({ status }) => status !== 'held' && status !== 'queued')
  );
}
