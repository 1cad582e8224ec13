// What a mirror reads from the service. No call moves what the calling session counts as having read.
import { ok, type Result } from '../../domain/errors.js';
import type { Countersign } from '../../ports/service.js';
import { watch, type WatchEvent } from '../../client/index.js';
import { documentText, type MirroredState } from './texts.js';

/** What a mirror follows: one state, one tree, or everything that the caller may see. */
export type MirrorScope =
  | { readonly of: 'state'; readonly stateId: string; readonly rootSessionId: string }
  | { readonly of: 'tree'; readonly rootSessionId: string }
  | { readonly of: 'all' };

/** A state whose document cannot be read. */
interface DamagedState {
  readonly stateId: string;
  readonly rootSessionId: string;
  readonly detail: string;
}

/** States with their documents, and those that cannot be read. */
export interface StatePage {
  readonly states: readonly MirroredState[];
  readonly damaged: readonly DamagedState[];
}

export class MirrorSource {
  constructor(
    private readonly client: Countersign,
    readonly scope: MirrorScope,
  ) {}

  /** The events of the scope, from now on; the first one is a bookmark. */
  events(signal: AbortSignal): AsyncIterable<Result<WatchEvent>> {
    const { scope } = this;
    const target =
      scope.of === 'state'
        ? { stateId: scope.stateId }
        : scope.of === 'tree'
          ? { rootSession: scope.rootSessionId }
          : {};
    return watch(this.client, target, { signal });
  }

  /** All states of the scope; or only those that were written at a time or later. Ends with the first failure. */
  async *states(since?: string): AsyncGenerator<Result<StatePage>, void, void> {
    const { scope } = this;
    const filter = {
      ...(scope.of === 'all' ? {} : { root_session: scope.rootSessionId }),
      ...(since === undefined ? {} : { updated_since: since }),
    };
    const isMeant = (stateId: string) => scope.of !== 'state' || stateId === scope.stateId;
    yield* this.#pages(filter, isMeant);
  }

  /** One state; an empty page if it is not there. */
  async state(stateId: string, rootSessionId: string): Promise<Result<StatePage>> {
    const found: StatePage[] = [];
    for await (const page of this.#pages({ root_session: rootSessionId }, (one) => one === stateId)) {
      if (!page.ok) return page;
      found.push(page.value);
    }
    return ok({
      states: found.flatMap((page) => page.states),
      damaged: found.flatMap((page) => page.damaged),
    });
  }

  /** The text of the document as it was in a version; `null` if that is not kept, or never was. */
  async documentAt(stateId: string, version: number): Promise<string | null> {
    const read = await this.client.states.get(stateId, version);
    return read.ok ? documentText(read.value.current_data) : null;
  }

  /**
   * True only if the state is certainly gone. For a session, the states of other trees look as if they were not
   * there.
   */
  async isGone(stateId: string): Promise<boolean> {
    if (this.scope.of === 'all' && !(await this.client.operations.overview()).ok) return false;
    const read = await this.client.states.events(stateId, { limit: 1 });
    return !read.ok && read.failure.error === 'state_not_found';
  }

  async *#pages(
    filter: { readonly root_session?: string; readonly updated_since?: string },
    isMeant: (stateId: string) => boolean,
  ): AsyncGenerator<Result<StatePage>, void, void> {
    let cursor: string | null = null;
    do {
      const page = await this.client.states.list({
        ...filter,
        include: 'data',
        ...(cursor === null ? {} : { cursor }),
      });
      if (!page.ok) {
        yield page;
        return;
      }
      const states: MirroredState[] = [];
      const damaged: DamagedState[] = [];
      for (const { current_data, damaged: damage, ...rest } of page.value.items) {
        const { state_id: stateId, root_session_id: rootSessionId } = rest;
        if (!isMeant(stateId)) continue;
        if (current_data !== undefined) states.push({ ...rest, current_data });
        else damaged.push({ stateId, rootSessionId, detail: damage?.detail ?? 'Its document is missing.' });
      }
      yield ok({ states, damaged });
      cursor = page.value.next_cursor;
    } while (cursor !== null);
  }
}

/** Finds the tree of a state, without reading the state at its present version. */
export async function scopeOfState(client: Countersign, stateId: string): Promise<Result<MirrorScope>> {
  const history = await client.states.events(stateId, { limit: 1 });
  if (!history.ok) return history;
  const read = await client.states.get(stateId, history.value.events[0]?.version ?? 1);
  if (!read.ok) return read;
  return ok({ of: 'state', stateId, rootSessionId: read.value.root_session_id });
}

/** Finds the tree of a session, by id or name. A deleted tree is known by its id. */
export async function scopeOfTree(client: Countersign, session: string): Promise<Result<MirrorScope>> {
  const found = await client.sessions.get(session);
  if (found.ok) return ok({ of: 'tree', rootSessionId: found.value.root_session_id });
  return session.startsWith('ses_') ? ok({ of: 'tree', rootSessionId: session }) : found;
}
