// Use cases of workflow schemas.
import { mayUse } from '../../domain/access/access.js';
import { ok, fail } from '../../domain/errors.js';
import { noSchemaVersion, removeSchema } from '../../domain/schemas/register.js';
import type { SchemaService } from '../../ports/service.js';
import type { PageRequest } from '../../ports/page.js';
import { boundedPage } from '../bounded-page.js';
import type { Caller } from '../caller.js';
import { mapped, andThen } from '../results.js';
import { registerUnderName, treeOf, tryUnderName, type RegisterSchemaParts } from './register-schema.js';
import { schemaView } from '../views.js';

export type SchemaServiceParts = RegisterSchemaParts;

export function schemaService(caller: Caller<SchemaServiceParts>): SchemaService {
  const { context, actor } = caller;
  const { store, engine, limits, transactions } = context;
  const large = { itemBytesMax: limits.schemaBytesMax, into: schemaView };
  return {
    async register(body) {
      return andThen(mayUse(actor, 'orchestrate'), () =>
        andThen(engine.admit(body.json_schema, 'document'), async (admitted) =>
          mapped(await registerUnderName(context, body, admitted, treeOf(caller)), ({ schema, created }) => ({
            schema: schemaView(schema),
            created,
          })),
        ),
      );
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
        const reach = actor.kind === 'session' ? { reachableFrom: actor.rootSessionId } : {};
        const filter = query.name === undefined ? reach : { name: query.name };
        const read = (page: PageRequest) => store.read.schemas(filter, page);
        return ok(await boundedPage(query, limits, { ...large, read }));
      });
    },
    async get(name, version) {
      return andThen(mayUse(actor, 'read'), async () => {
        const schema = await store.read.schema(name, version);
        return schema === null ? noSchema(name, version) : ok(schemaView(schema));
      });
    },
    async versions(name, query) {
      return andThen(mayUse(actor, 'read'), async () => {
        const read = (page: PageRequest) => store.read.schemaVersions(name, page);
        const page = await boundedPage(query, limits, { ...large, read });
        // The newest version is read only if the page is empty: it may be damaged, and others are not.
        const exists = page.items.length > 0 || (await store.read.schema(name)) !== null;
        return exists ? ok(page) : noSchema(name);
      });
    },
    async remove(name, version) {
      return andThen(mayUse(actor, 'orchestrate'), () =>
        actor.kind === 'session'
          ? fail('forbidden', 'A session may not delete schemas.')
          : transactions.decideFree([{ load: 'schemaVersion', name, version }], (unit) =>
              removeSchema(unit, name, version),
            ),
      );
    },
  };
}

/** The failure for a schema that does not exist. */
export function noSchema(name: string, version?: number) {
  if (version !== undefined) return noSchemaVersion(name, version);
  return fail('schema_not_found', `There is no workflow schema ${name}.`, {
    schema_name: name,
    schema_version: null,
  });
}
