// Routes of workflow schemas.
import { Type } from 'typebox';
import { ok, type Result } from '../../domain/errors.js';
import {
  closed,
  PageOf,
  PageQuery,
  SchemaGetQuery,
  SchemaListQuery,
  SchemaName,
  SchemaDryRun,
  SchemaRegister,
  SchemaRegisterQuery,
  SchemaValidate,
  SchemaValidation,
  SchemaView,
  Version,
} from '../../ports/api/index.js';
import { answered, noContent, jsonReply, type Reply } from '../replies/reply.js';
import { endpoint } from '../endpoint.js';
import type { Route } from '../route.js';

const ByName = Type.Object({ name: SchemaName }, closed);
const ByVersion = Type.Object({ name: SchemaName, version: Version }, closed);
const tag = 'Schemas';

export const schemaRoutes: readonly Route[] = [
  endpoint({
    method: 'POST',
    path: '/workflow-schemas',
    operationId: 'registerSchema',
    summary: 'Register a schema; a new version unless one has the same content',
    tag,
    query: SchemaRegisterQuery,
    answers: {
      201: { description: 'A new version', schema: SchemaView },
      200: {
        description: 'A version has this content already; with `dry_run` what a registration would do',
        anyOf: [SchemaView, SchemaDryRun],
      },
    },
    errors: ['invalid_schema', 'schema_too_complex', 'incompatible_schema', 'limit_exceeded'],
  }).json(SchemaRegister, async ({ service, query }, body): Promise<Result<Reply>> => {
    if (query.dry_run === true) return answered(200, await service.schemas.tryRegister(body));
    const result = await service.schemas.register(body);
    if (!result.ok) return result;
    const { schema, created } = result.value;
    return ok(jsonReply(created ? 201 : 200, schema));
  }),
  endpoint({
    method: 'GET',
    path: '/workflow-schemas',
    operationId: 'listSchemas',
    summary: 'The newest version of each schema',
    tag,
    query: SchemaListQuery,
    answers: { 200: { description: 'Schemas', schema: PageOf(SchemaView) } },
  }).answer(async ({ service, query }) => answered(200, await service.schemas.list(query))),
  endpoint({
    method: 'GET',
    path: '/workflow-schemas/{name}',
    operationId: 'getSchema',
    summary: 'One version of a schema, the newest by default',
    tag,
    params: ByName,
    query: SchemaGetQuery,
    answers: { 200: { description: 'The schema', schema: SchemaView } },
    errors: ['schema_not_found'],
  }).answer(async ({ service, params, query }) =>
    answered(200, await service.schemas.get(params.name, query.version)),
  ),
  endpoint({
    method: 'POST',
    path: '/workflow-schemas/{name}/validate',
    operationId: 'validateDocument',
    summary: 'Validate a document against a version of a schema, the newest by default',
    tag,
    params: ByName,
    query: SchemaGetQuery,
    answers: { 200: { description: 'The verdict', schema: SchemaValidation } },
    errors: ['schema_not_found', 'limit_exceeded', 'schema_too_complex'],
  }).json(SchemaValidate, async ({ service, params, query }, { data }) =>
    answered(200, await service.schemas.validate(params.name, data, query.version)),
  ),
  endpoint({
    method: 'GET',
    path: '/workflow-schemas/{name}/versions',
    operationId: 'listSchemaVersions',
    summary: 'All versions of a schema, newest first',
    tag,
    params: ByName,
    query: PageQuery,
    answers: { 200: { description: 'Versions', schema: PageOf(SchemaView) } },
    errors: ['schema_not_found'],
  }).answer(async ({ service, params, query }) =>
    answered(200, await service.schemas.versions(params.name, query)),
  ),
  endpoint({
    method: 'DELETE',
    path: '/workflow-schemas/{name}/versions/{version}',
    operationId: 'deleteSchemaVersion',
    summary: 'Delete a version that no workflow state uses',
    tag,
    params: ByVersion,
    answers: { 204: { description: 'Deleted' } },
    errors: ['schema_not_found', 'schema_in_use'],
  }).answer(async ({ service, params }) =>
    noContent(await service.schemas.remove(params.name, params.version)),
  ),
];
