// Opens the events of a WebSocket subscription. Sends nothing.
import type { Actor } from '../../domain/access/actor.js';
import { invalidMember, type Failed, type Result } from '../../domain/errors.js';
import { noState } from '../../domain/states/write.js';
import type { SocketSubscribe } from '../../ports/api/index.js';
import type { Countersign, StreamOptions } from '../../ports/service.js';
import { followKey } from './key-events.js';
import type { SocketEvent } from '../replies/socket-event.js';

export type SubscribedStream = AsyncIterable<readonly SocketEvent[]>;

/** Opens the requested events: of a state, a key, a tree, or everything that the caller may see. */
export async function openSubscription(
  service: Countersign,
  actor: Actor,
  message: SocketSubscribe,
  signal: AbortSignal,
): Promise<Result<SubscribedStream>> {
  const unfit = unfitMember(message);
  if (unfit !== null) return unfit;
  const { state_id: stateId, root_session: rootSession, key, since, snapshot } = message;
  const version = message.since_version === undefined ? undefined : String(message.since_version);
  const options = { after: version, snapshot, signal };
  if (key !== undefined) return openKey(service, actor, message, key, options);
  if (stateId !== undefined && isOfState(message)) return service.streams.state(stateId, options);
  return service.streams.all({ rootSession, stateId }, { after: since, signal });
}

/** True if the events are those of one state, with its versions as ids. */
function isOfState({ state_id, root_session, since }: SocketSubscribe): boolean {
  return state_id !== undefined && root_session === undefined && since === undefined;
}

/** Refuses a member that the subscription would ignore; the caller would wait for events that never come. */
function unfitMember(message: SocketSubscribe): Failed | null {
  return message.key === undefined ? unfitOfEvents(message) : unfitOfKey(message);
}

function unfitOfKey({ state_id, session, root_session, since, snapshot }: SocketSubscribe): Failed | null {
  if (since !== undefined) {
    return invalidMember('/since', 'is no place of a key', 'since_version: a version of the state');
  }
  if (root_session !== undefined) {
    return invalidMember('/root_session', 'does not go with key', 'session, or state_id');
  }
  if (session !== undefined && state_id !== undefined) {
    return invalidMember('/session', 'does not go with state_id', 'one of the two');
  }
  if (snapshot === true) return invalidMember('/snapshot', 'is for one state', 'no key beside it');
  return null;
}

function unfitOfEvents(message: SocketSubscribe): Failed | null {
  const { session, since_version: version, snapshot } = message;
  if (session !== undefined) {
    return invalidMember('/session', 'goes with key', 'key beside it, or root_session for a tree');
  }
  if (isOfState(message)) return null;
  if (version !== undefined) {
    return invalidMember('/since_version', 'is for one state', 'since: a place such as 12-3');
  }
  if (snapshot === true) {
    return invalidMember('/snapshot', 'is for one state', 'state_id alone, or with since_version');
  }
  return null;
}

/** A key of the named state, or of the state of the named or calling session's tree. */
async function openKey(
  service: Countersign,
  actor: Actor,
  { state_id: stateId, session }: SocketSubscribe,
  key: string,
  options: StreamOptions,
): Promise<Result<SubscribedStream>> {
  if (stateId !== undefined) return followKey(service, stateId, key, options);
  const whose = session ?? (actor.kind === 'session' ? actor.sessionId : undefined);
  if (whose === undefined) {
    return invalidMember('/key', 'belongs to a state', 'state_id or session beside it');
  }
  // The session, not its state: reading the state would move the caller's read cursor.
  const found = await service.sessions.get(whose);
  if (!found.ok) return found;
  const { workflow_state_id: own, session_name: name } = found.value;
  return own === null ? noState(`of ${name}`) : followKey(service, own, key, options);
}
