// Opens the events of a WebSocket subscription. Sends nothing.
import type { Actor } from '../../domain/access/actor.js';
import { ok, invalidMember, type Result } from '../../domain/errors.js';
import type { SocketSubscribe } from '../../ports/api/index.js';
import type { Countersign, StreamOptions } from '../../ports/service.js';
import { followKey } from './key-events.js';
import type { SocketEvent } from '../replies/socket-event.js';

export type SubscribedStream = AsyncIterable<readonly SocketEvent[]>;

/** Opens the requested events: of a state, a key, a tree, or everything that the caller may see. */
export function openSubscription(
  service: Countersign,
  actor: Actor,
  message: SocketSubscribe,
  signal: AbortSignal,
): Promise<Result<SubscribedStream>> {
  const { state_id: stateId, root_session: rootSession, key, since, snapshot } = message;
  const version = message.since_version === undefined ? undefined : String(message.since_version);
  const options = (after: string | undefined): StreamOptions => ({ after, snapshot, signal });
  if (key !== undefined) return openKey(service, actor, message, key, options(version));
  if (stateId !== undefined && rootSession === undefined && since === undefined) {
    return service.streams.state(stateId, options(version));
  }
  if (version !== undefined) {
    return Promise.resolve(
      invalidMember('/since_version', 'is for one state', 'since: a place such as 12-3'),
    );
  }
  return service.streams.all({ rootSession, stateId }, options(since));
}

/** A key of the named state, or of the state of the named or calling session's tree. */
async function openKey(
  service: Countersign,
  actor: Actor,
  { state_id: stateId, session }: SocketSubscribe,
  key: string,
  options: StreamOptions,
): Promise<Result<SubscribedStream>> {
  const whose = session ?? (actor.kind === 'session' ? actor.sessionId : undefined);
  if (stateId === undefined && whose === undefined) {
    return invalidMember('/key', 'belongs to a state', 'state_id or session beside it');
  }
  const found = stateId === undefined ? await service.sessions.state(whose ?? '') : ok({ state_id: stateId });
  return found.ok ? followKey(service, found.value.state_id, key, options) : found;
}
