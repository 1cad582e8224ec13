// What the service knows of the story at its end, read over HTTP.
import type {
  CallbackView,
  CompletionView,
  CountersignService,
  EventView,
  RunView,
  SessionView,
  StateEnvelope,
} from '../client/index.js';
import { ROOT } from './children.js';
import { valueOrThrow } from './fault.js';

export interface Snapshot {
  readonly sessions: readonly SessionView[];
  readonly runs: readonly RunView[];
  readonly callbacks: readonly CallbackView[];
  /** Of the children, by the name of the session. */
  readonly completions: ReadonlyMap<string, CompletionView>;
  /** `null` where the root has made none. */
  readonly state: StateEnvelope | null;
  readonly events: readonly EventView[];
}

/** More than the story makes of anything. */
const PAGE = { limit: 1000 };

/** The database holds nothing but the story, so everything in it belongs to the story. */
export async function takeSnapshot(service: CountersignService): Promise<Snapshot> {
  const [sessions, runs, callbacks, found] = await Promise.all([
    service.sessions.list(PAGE).then((page) => valueOrThrow(page).items),
    service.runs.list(PAGE).then((page) => valueOrThrow(page).items),
    service.callbacks.list(PAGE).then((page) => valueOrThrow(page).items),
    service.sessions.state(ROOT),
  ]);
  const children = sessions.filter((session) => session.parent_session_id !== null);
  const completions = await Promise.all(
    children.map(async ({ session_name: name }) => {
      return [name, valueOrThrow(await service.sessions.completion(name))] as const;
    }),
  );
  const events = found.ok
    ? valueOrThrow(await service.states.events(found.value.state_id, { since: 0, ...PAGE }))
    : null;
  return {
    sessions,
    runs,
    callbacks,
    completions: new Map(completions),
    state: found.ok ? found.value : null,
    events: events?.events ?? [],
  };
}
