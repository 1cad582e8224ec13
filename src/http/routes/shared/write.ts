// What the routes that write a state share: conditions, error codes, reply.
import { withoutBase } from '../../../domain/writes/base-version.js';
import { ok, invalidMember, type ErrorCode, type Result } from '../../../domain/errors.js';
import { isJsonObject } from '../../../domain/json/json.js';
import {
  StateEnvelope,
  type StateReplace,
  type StateWritten,
  type WriteQuery,
} from '../../../ports/api/index.js';
import type { WriteOptions } from '../../../ports/service.js';
import { after, type MaybePromise } from '../../../lib/maybe-promise.js';
import type { RequestContext } from '../../requests/request-context.js';
import { stateConditions } from '../../preconditions.js';
import type { Reply } from '../../replies/reply.js';
import { sizeHeaders, WARNING_HEADER } from '../../replies/size-warning.js';
import { etagOf } from '../../replies/state-reply.js';
import type { ReplySpec } from '../../route.js';

/** Condition headers of a write of a state. */
export const CONDITIONS = {
  'If-Match': 'Versions of which the state has to have one, as in `ETag`: "7", or "7", "8"; * for any',
  'If-None-Match': 'Versions that the state must not have; * for any',
};

/** Error codes of any write of a state. */
export const WRITE_ERRORS: readonly ErrorCode[] = [
  'state_not_found',
  'validation_failed',
  'schema_too_complex',
  'transition_refused',
  'version_conflict',
  'write_scope_violation',
  'mode_refused',
  'agent_broken',
  'workflow_entry_exists',
  'limit_exceeded',
];

/** Error codes of the first document of a state. */
export const CREATE_ERRORS: readonly ErrorCode[] = [
  'schema_not_found',
  'session_not_found',
  'state_exists',
  'contract_impossible',
  'write_scope_impossible',
  'agent_broken',
  'validation_failed',
  'schema_too_complex',
  'transition_refused',
  'limit_exceeded',
];

/** The answer to the creation of a state, as `createdState` makes it. */
export const CREATED: ReplySpec = {
  description: 'The state at version 1',
  schema: StateEnvelope,
  etag: true,
  location: true,
  headers: [WARNING_HEADER],
};

/** The reply for a created state; a failure is returned as it is. */
export function createdState({ server }: RequestContext, result: Result<StateEnvelope>): Result<Reply> {
  if (!result.ok) return result;
  const { state_id: stateId, version, current_data: document } = result.value;
  const { host, limits, stateReplies } = server;
  const near = isJsonObject(document) ? sizeHeaders(host.textOf(document).bytes, limits) : {};
  const headers = { location: `/workflow-states/${stateId}`, etag: etagOf(version), ...near };
  return ok(stateReplies.stored(201, result.value, headers));
}

/** Further error codes of a write that names its base. */
export const BASE_ERRORS: readonly ErrorCode[] = [
  'merge_conflict',
  'base_unknown',
  'version_not_found',
  'version_compacted',
];

/** Members of a body beside the change itself. */
type WriteTerms = Pick<StateReplace, 'expected_version' | 'base_version' | 'on_conflict'>;

type Write = (options: WriteOptions) => MaybePromise<Result<StateWritten>>;

/** Fails if the query and the body contradict each other: no choice between them would be safe. */
function givenTwice(name: 'base_version' | 'on_conflict', body: WriteTerms, query: WriteQuery) {
  const [asked, meant] = [query[name], body[name]];
  if (asked === undefined || meant === undefined || asked === meant) return null;
  return invalidMember(`/query/${name}`, 'contradicts the one in the body', meant);
}

/** Runs one write with the conditions of header, query and body. The reply has the new ETag, except for a dry run. */
export function write(
  context: RequestContext,
  stateId: string,
  query: WriteQuery,
  body: WriteTerms,
  run: Write,
): MaybePromise<Result<Reply>> {
  const conditions = stateConditions(context, stateId);
  if (!conditions.ok) return conditions;
  const twice = givenTwice('base_version', body, query) ?? givenTwice('on_conflict', body, query);
  if (twice !== null) return twice;
  const baseVersion = body.base_version ?? query.base_version;
  if (query.on_conflict !== undefined && baseVersion === undefined) {
    return withoutBase('/query/on_conflict');
  }
  const dryRun = query.dry_run ?? false;
  const written = run({
    expectedVersion: body.expected_version,
    ...conditions.value,
    dryRun,
    baseVersion,
    onConflict: body.on_conflict ?? query.on_conflict,
  });
  return after(written, (result) => context.server.stateReplies.written(result, !dryRun));
}
