// The route that moves a workflow state to another version of its schema.
import { DryRunQuery, StateMigrate, StateWritten } from '../../../ports/api/index.js';
import { stateConditions } from '../../preconditions.js';
import { endpoint } from '../../endpoint.js';
import { ById, type Route } from '../../route.js';
import { CONDITIONS } from '../shared/write.js';

export const migrateRoutes: readonly Route[] = [
  endpoint({
    method: 'POST',
    path: '/workflow-states/{id}/migrate',
    operationId: 'migrateState',
    summary: 'Move a workflow state to another version of its schema, and change its document with it',
    tag: 'States',
    params: ById,
    query: DryRunQuery,
    headers: CONDITIONS,
    answers: {
      200: {
        description: 'The state after the migration; `warnings` where values were let stay',
        schema: StateWritten,
        etag: true,
      },
    },
    errors: [
      'state_not_found',
      'schema_not_found',
      'forbidden',
      'contract_impossible',
      'write_scope_impossible',
      'version_conflict',
      'patch_failed',
      'limit_exceeded',
      'validation_failed',
      'schema_too_complex',
      'transition_refused',
      'mode_refused',
      'agent_broken',
      'workflow_entry_exists',
    ],
  }).json(StateMigrate, async ({ service, params, query, context }, body) => {
    const conditions = stateConditions(context, params.id);
    if (!conditions.ok) return conditions;
    const dryRun = query.dry_run ?? false;
    const options = { expectedVersion: body.expected_version, ...conditions.value, dryRun };
    const migrated = await service.states.migrate(params.id, body, options);
    return context.server.stateReplies.written(migrated, !dryRun);
  }),
];
