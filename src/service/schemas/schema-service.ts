// Use cases of workflow schemas.
import { mayUse } from '../../domain/access/access.js';
import { treeOf } from '../../domain/access/actor.js';
import { ok, fail, type Result, type Violation } from '../../domain/errors.js';
import { isJsonObject, type JsonValue } from '../../domain/json/json.js';
import type { WorkflowSchema } from '../../domain/records/records.js';
import { noSchemaVersion, removeSchema } from '../../domain/schemas/register.js';
import { notAnObject } from '../../document/index.js';
import type { AdmittedSchema } from '../../ports/schema-engine.js';
import type { SchemaService } from '../../ports/service.js';
import type { PageRequest } from '../../ports/storage/page.js';
import { boundedPage } from '../bounded-page.js';
import type { Caller } from '../caller.js';
import { mapped, andThen } from '../results.js';
import { firstViolations } from './live-states.js';
import { registerUnderName, tryUnderName, type RegisterSchemaParts } from './register-schema.js';
import { schemaView } from '../views.js';
import { checkShapeAndSize } from '../documents/shape-and-size.js';

export type SchemaServiceParts = RegisterSchemaParts;

export function schemaService(caller: Caller<SchemaServiceParts>): SchemaService {
  const { context, actor } = caller;
  const { store, engine, limits, transactions } = context;
  const large = { itemBytesMax: limits.schemaBytesMax, into: schemaView };
  return {
    async register(body) {
      const registered = await transactions.effect('register_schema', (decisions) =>
        andThen(mayUse(actor, 'orchestrate'), () =>
          andThen(engine.admit(body.json_schema, 'document'), (admitted) =>
            registerUnderName(context, body, admitted, treeOf(caller.actor), decisions),
          ),
        ),
      );
      return mapped(registered, ({ schema, created }) => ({ schema: schemaView(schema), created }));
    },
    async tryRegister(body) {
      return andThen(mayUse(actor, 'orchestrate'), () =>
        andThen(engine.admit(body.json_schema, 'document'), (admitted) =>
          tryUnderName(caller, body, admitted),
        ),
      );
    },
    async list(query) {
      return andThen(mayUse(actor, 'read'), async () => {
        // Anyone who knows a name may list it. Without a name, a session lists those of its tree and of the service.
        const reachable = actor.kind === 'session' ? { reachableFrom: actor.rootSessionId } : {};
        const filter = query.name === undefined ? reachable : { name: query.name };
        const read = (page: PageRequest) => store.read.schemas(filter, page);
        return boundedPage(query, limits, { ...large, read });
      });
    },
    async get(name, version) {
      return andThen(mayUse(actor, 'read'), async () => {
        const schema = await store.read.schema(name, version);
        return schema === null ? noSchema(name, version) : ok(schemaView(schema));
      });
    },
    async validate(name, data, version) {
      return andThen(mayUse(actor, 'read'), async () => {
        const schema = await store.read.schema(name, version);
        if (schema === null) return noSchema(name, version);
        return mapped(await violationsOfGiven(context, admittedOf(schema), data), (errors) => ({
          schema_name: name,
          schema_version: schema.version,
          valid: errors.length === 0,
          errors: [...errors],
        }));
      });
    },
    async versions(name, query) {
      return andThen(mayUse(actor, 'read'), async () => {
        const read = (page: PageRequest) => store.read.schemaVersions(name, page);
        const page = await boundedPage(query, limits, { ...large, read });
        // The newest version is read only if the page is empty: it may be damaged, and others are not.
        const exists = page.value.items.length > 0 || (await store.read.schema(name)) !== null;
        return exists ? page : noSchema(name);
      });
    },
    async remove(name, version) {
      return transactions.effect('delete_schema', (decisions) =>
        andThen(mayUse(actor, 'orchestrate'), () =>
          actor.kind === 'session'
            ? fail('forbidden', 'A session may not delete schemas.')
            : decisions.decideFree([{ load: 'schemaVersion', name, version }], (unit) =>
                removeSchema(unit, name, version),
              ),
        ),
      );
    },
  };
}

function admittedOf({ hash, jsonSchema }: WorkflowSchema): AdmittedSchema {
  return { hash, schema: jsonSchema };
}

/** Validates a document from outside as the first one of a state. A limit that it exceeds says nothing of its validity. */
async function violationsOfGiven(
  parts: SchemaServiceParts,
  admitted: AdmittedSchema,
  data: JsonValue,
): Promise<Result<readonly Violation[]>> {
  if (!isJsonObject(data)) return ok([notAnObject(data)]);
  return andThen(checkShapeAndSize(parts, data), (document) => firstViolations(parts, admitted, document));
}

/** The failure for a schema that does not exist. */
export function noSchema(name: string, version?: number) {
  if (version !== undefined) return noSchemaVersion(name, version);
  return fail('schema_not_found', `There is no workflow schema ${name}.`, {
    schema_name: name,
    schema_version: null,
  });
}
