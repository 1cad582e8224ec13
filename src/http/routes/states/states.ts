// Routes of workflow states. Reads and writes are the hot path: reply texts are spliced, so no document is
// serialized twice.
import { type ErrorCode } from '../../../domain/errors.js';
import {
  EventList,
  EventQuery,
  JsonPatchToApply,
  MergePatchToApply,
  PageOf,
  StateCreate,
  StateGetQuery,
  StateListQuery,
  StatePatchEnvelope,
  StateRead,
  StateReadAtPointer,
  StateReplace,
  StateSummary,
  StateWritten,
  WriteQuery,
} from '../../../ports/api/index.js';
import { awaiting, waitOptions } from '../shared/awaiting.js';
import { after } from '../../../lib/maybe-promise.js';
import { conditionalReply, stateConditions, tagWithin, type Validator } from '../../preconditions.js';
import { answered, noContent, jsonReply } from '../../replies/reply.js';
import { endpoint } from '../../endpoint.js';
import { ById, READ_CONDITIONS, type Route } from '../../route.js';
import { etagOf } from '../../replies/state-reply.js';
import {
  BASE_ERRORS,
  CREATE_ERRORS,
  CREATED,
  CONDITIONS,
  WRITE_ERRORS,
  createdState,
  write,
} from '../shared/write.js';

const tag = 'States';
const READ_ERRORS: readonly ErrorCode[] = [
  'state_not_found',
  'version_not_found',
  'version_compacted',
  'pointer_not_found',
];
/** The URL contains the state id, so the version alone identifies a representation. */
function validatorOf(stateId: string, version: number, present: Validator['present']): Validator {
  return { tags: [etagOf(version), tagWithin(version, stateId)], version, present };
}

const WRITTEN = {
  200: {
    description: 'The state after the write; `changed` is false where it was like that',
    schema: StateWritten,
    etag: true,
  },
};

export const stateRoutes: readonly Route[] = [
  endpoint({
    method: 'POST',
    path: '/workflow-states',
    operationId: 'createState',
    summary: 'Create the workflow state of a tree of sessions',
    tag,
    answers: { 201: CREATED },
    errors: CREATE_ERRORS,
  }).json(StateCreate, async ({ service, context }, body) =>
    createdState(context, await service.states.create(body)),
  ),
  endpoint({
    method: 'GET',
    path: '/workflow-states',
    operationId: 'listStates',
    summary: 'Workflow states, without their documents unless asked for',
    tag,
    query: StateListQuery,
    answers: { 200: { description: 'States', schema: PageOf(StateSummary) } },
    errors: ['session_not_found'],
  }).answer(async ({ service, query, context }) =>
    context.server.stateReplies.list(await service.states.list(query)),
  ),
  endpoint({
    method: 'GET',
    path: '/workflow-states/{id}',
    operationId: 'getState',
    summary: 'A workflow state, whole or at a pointer, now or at an earlier version',
    tag,
    params: ById,
    query: StateGetQuery,
    headers: READ_CONDITIONS,
    answers: {
      200: {
        description:
          'The state; with `pointer` the value there: `{state_id, version, pointer, value}`; with `after_version` as soon as it is newer, or with `timed_out: true` when `wait` is over',
        anyOf: [StateRead, StateReadAtPointer],
        etag: true,
      },
      304: { description: 'The caller has this version', etag: true },
    },
    errors: [...READ_ERRORS, 'version_conflict'],
  }).answer(({ service, actor, params, query, context }) => {
    const { pointer, at_version: atVersion } = query;
    const waited = waitOptions(query, context.server.limits.waitMsMax);
    if (!waited.ok) return waited;
    if (pointer !== undefined) {
      return after(
        awaiting({ context, actor }, waited.value, (wait) =>
          service.states.getAt(params.id, pointer, atVersion, wait),
        ),
        (found) =>
          found.ok
            ? conditionalReply(
                context,
                validatorOf(params.id, found.value.version, () => ({ current_value: found.value.value })),
                (headers) => jsonReply(200, found.value, headers),
              )
            : found,
      );
    }
    return after(
      awaiting({ context, actor }, waited.value, (wait) => service.states.get(params.id, atVersion, wait)),
      (state) =>
        state.ok
          ? conditionalReply(
              context,
              validatorOf(params.id, state.value.version, () => ({ current_data: state.value.current_data })),
              ({ etag }) => context.server.stateReplies.kept(state.value, etag),
            )
          : state,
    );
  }),
  endpoint({
    method: 'PUT',
    path: '/workflow-states/{id}',
    operationId: 'replaceState',
    summary: 'Replace the whole document',
    tag,
    params: ById,
    query: WriteQuery,
    headers: CONDITIONS,
    answers: WRITTEN,
    errors: [...WRITE_ERRORS, ...BASE_ERRORS],
  }).json(StateReplace, ({ service, params, query, context }, body) =>
    write(context, params.id, query, body, (options) =>
      service.states.replace(params.id, body.data, options),
    ),
  ),
  endpoint({
    method: 'PATCH',
    path: '/workflow-states/{id}',
    operationId: 'patchState',
    summary: 'Change parts of the document, by JSON Patch or merge patch',
    tag,
    params: ById,
    query: WriteQuery,
    headers: CONDITIONS,
    answers: WRITTEN,
    errors: [...WRITE_ERRORS, ...BASE_ERRORS, 'patch_failed'],
  }).bodies((on) => [
    on('application/json-patch+json', JsonPatchToApply, ({ service, params, query, context }, operations) =>
      write(context, params.id, query, {}, (options) => service.states.patch(params.id, operations, options)),
    ),
    on('application/merge-patch+json', MergePatchToApply, ({ service, params, query, context }, patch) =>
      write(context, params.id, query, {}, (options) => service.states.mergePatch(params.id, patch, options)),
    ),
    on('application/json', StatePatchEnvelope, ({ service, params, query, context }, body) =>
      write(context, params.id, query, body, (options) =>
        service.states.patch(params.id, body.operations, options),
      ),
    ),
  ]),
  endpoint({
    method: 'GET',
    path: '/workflow-states/{id}/events',
    operationId: 'listStateEvents',
    summary: 'The history of a workflow state, oldest first',
    tag,
    params: ById,
    query: EventQuery,
    answers: { 200: { description: 'Events with a version above `since`', schema: EventList } },
    errors: ['state_not_found', 'version_compacted'],
  }).answer(async ({ service, params, query }) =>
    answered(200, await service.states.events(params.id, query)),
  ),
  endpoint({
    method: 'DELETE',
    path: '/workflow-states/{id}',
    operationId: 'deleteState',
    summary: 'Delete a workflow state; its open completions become `skipped`',
    tag,
    params: ById,
    headers: CONDITIONS,
    answers: { 204: { description: 'Deleted' } },
    errors: ['state_not_found', 'version_conflict'],
  }).answer(async ({ service, params, context }) => {
    const conditions = stateConditions(context, params.id);
    return conditions.ok ? noContent(await service.states.remove(params.id, conditions.value)) : conditions;
  }),
];
