// Routes of streams: Server-Sent Events, resumed with Last-Event-ID.
import { Type } from 'typebox';
import { invalidMember, type ErrorCode } from '../../domain/errors.js';
import { StateStreamQuery, StreamQuery } from '../../ports/api/index.js';
import { streamReply } from '../replies/event-stream.js';
import { endpoint } from '../endpoint.js';
import { ById, type Route } from '../route.js';

const tag = 'Streams';
const lastEventId = (pattern: string) => ({
  'Last-Event-ID': {
    description: 'The id of the last event that the caller has; wins over `since`',
    pattern,
  },
});
const VERSION = '^[0-9]{1,15}$';
const POSITION = '^[0-9]{1,15}-[0-9]{1,15}$';
const isVersion = new RegExp(VERSION);
const isPosition = new RegExp(POSITION);
const Events = Type.String();
const errors: readonly ErrorCode[] = [
  'state_not_found',
  'version_not_found',
  'version_compacted',
  'overloaded',
];

function badId(expected: string) {
  return invalidMember('/headers/last-event-id', 'is not an id of this stream', expected);
}

export const streamRoutes: readonly Route[] = [
  endpoint({
    method: 'GET',
    path: '/workflow-states/{id}/stream',
    operationId: 'streamState',
    summary: 'Every change of a workflow state, as it happens',
    tag,
    params: ById,
    query: StateStreamQuery,
    headers: lastEventId(VERSION),
    answers: {
      200: {
        description: 'Server-Sent Events; the id of each is the version after it',
        schema: Events,
        contentType: 'text/event-stream',
        headers: ['X-Accel-Buffering'],
      },
    },
    errors,
  }).answer(async ({ service, actor, params, query, context }) => {
    const last = context.header('last-event-id');
    if (last !== null && !isVersion.test(last)) return badId('a version');
    const since = query.since === undefined ? undefined : String(query.since);
    return streamReply(context, actor, (signal) =>
      service.streams.state(params.id, { after: last ?? since, snapshot: query.snapshot, signal }),
    );
  }),
  endpoint({
    method: 'GET',
    path: '/stream',
    operationId: 'stream',
    summary: 'Everything that happens, or what happens in one tree or to one state',
    tag,
    query: StreamQuery,
    headers: lastEventId(POSITION),
    answers: {
      200: {
        description: 'Server-Sent Events; the id of each is its place in the one order of all',
        schema: Events,
        contentType: 'text/event-stream',
        headers: ['X-Accel-Buffering'],
      },
    },
    errors: [...errors, 'session_not_found'],
  }).answer(async ({ service, actor, query, context }) => {
    const last = context.header('last-event-id');
    if (last !== null && !isPosition.test(last)) return badId('two numbers, such as 12-3');
    const filter = { rootSession: query.root_session, stateId: query.state_id };
    return streamReply(context, actor, (signal) =>
      service.streams.all(filter, { after: last ?? query.since, signal }),
    );
  }),
];
