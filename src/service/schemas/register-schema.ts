// Use cases: registering a schema under the compatibility mode of its name, and the dry run of a registration.
import { treeOf } from '../../domain/access/actor.js';
import { ok, fail, type Result } from '../../domain/errors.js';
import type { WorkflowSchema, CompatibilityMode } from '../../domain/records/records.js';
import { directionsOf, isTransitive } from '../../domain/schemas/compatibility.js';
import {
  mayRegister,
  namedVersions,
  registerSchema,
  type NamedVersions,
  type Registered,
} from '../../domain/schemas/register.js';
import type * as api from '../../ports/api/index.js';
import type { AdmittedSchema, CompatibilityResult } from '../../ports/schema-engine.js';
import type { Decisions, TreeTransactions } from '../transactions/tree-transactions.js';
import { STALE } from '../../domain/transactions/decision-context.js';
import type { Caller } from '../caller.js';
import { liveStates, type LiveStatesParts } from './live-states.js';
import { andThen } from '../results.js';

export interface RegisterSchemaParts extends LiveStatesParts {
  readonly transactions: TreeTransactions;
}

/** The result of comparing new content under a compatibility mode. */
interface Comparison {
  readonly mode: CompatibilityMode;
  readonly verdict: CompatibilityResult;
  readonly differences: readonly api.SchemaDifference[];
}

/**
 * @param rootSessionId - The tree that owns a new name; `null` for the service.
 * @param decisions - For the registration alone: looking the versions up is no effect of a request.
 * @see SchemaService.register
 */
export async function registerUnderName(
  context: RegisterSchemaParts,
  body: api.SchemaRegister,
  admitted: AdmittedSchema,
  rootSessionId: string | null,
  decisions: Decisions,
): Promise<Result<Registered>> {
  const { name } = body;
  const { schema, hash } = admitted;
  const command = {
    name,
    jsonSchema: schema,
    hash,
    description: body.description ?? null,
    compatibility: body.compatibility ?? null,
    rootSessionId,
  };
  for (let tries = 0; tries < context.limits.preparationsMax; tries += 1) {
    const versions = await lookUp(context, name, hash);
    // Check access before comparing: the differences would show the content of schemas out of the caller's reach.
    const may = mayRegister(command, versions);
    if (!may.ok) return may;
    const compared = await compare(context, body, admitted, versions);
    if (!compared.ok) return compared;
    if (compared.value.verdict !== 'compatible') return incompatible(name, compared.value);
    const comparedWith = versions.newest?.version ?? null;
    const loads = [{ load: 'schemaName', name, hash }] as const;
    const result = await decisions.tryFree(loads, (unit) => {
      const registered = registerSchema(unit, command, comparedWith);
      return registered.ok ? ok(registered.value ?? unit.stale()) : registered;
    });
    if (result !== STALE) return result;
  }
  throw new Error(
    `the schema ${name} cannot be registered: the newest version changed during every comparison`,
  );
}

/** @see SchemaService.tryRegister */
export async function tryUnderName(
  caller: Caller<RegisterSchemaParts>,
  body: api.SchemaRegister,
  admitted: AdmittedSchema,
): Promise<Result<api.SchemaDryRun>> {
  const { context } = caller;
  const versions = await lookUp(context, body.name, admitted.hash);
  const asked = {
    name: body.name,
    compatibility: body.compatibility ?? null,
    rootSessionId: treeOf(caller.actor),
  };
  const may = mayRegister(asked, versions);
  if (!may.ok) return may;
  return andThen(compare(context, body, admitted, versions), ({ mode, verdict, differences }) =>
    andThen(liveStates(caller, body.name, admitted), (live_states) =>
      ok({
        would_create_version: versions.same === null ? (versions.newest?.version ?? 0) + 1 : null,
        compatibility: { mode, verdict, differences: [...differences] },
        live_states,
      }),
    ),
  );
}

async function lookUp(context: RegisterSchemaParts, name: string, hash: string): Promise<NamedVersions> {
  const found = await context.transactions.decideFree([{ load: 'schemaName', name, hash }], (unit) =>
    ok(namedVersions(unit, name, hash)),
  );
  if (!found.ok) throw new Error(found.failure.detail);
  return found.value;
}

/** Compares new content with the versions that the mode requires. Known content is compatible without a comparison. */
async function compare(
  context: RegisterSchemaParts,
  body: api.SchemaRegister,
  admitted: AdmittedSchema,
  { newest, same }: NamedVersions,
): Promise<Result<Comparison>> {
  const mode = body.compatibility ?? newest?.compatibility ?? 'none';
  const compared: Comparison = { mode, verdict: 'compatible', differences: [] };
  if (same !== null || newest === null || mode === 'none') return ok(compared);
  return andThen(versionsFor(context, mode, newest), async (versions) => {
    const verdicts: CompatibilityResult[] = [];
    const differences: api.SchemaDifference[] = [];
    for (const version of versions) {
      const old = { hash: version.hash, schema: version.jsonSchema };
      for (const direction of directionsOf(mode)) {
        const [wider, narrower] = direction === 'backward' ? [admitted, old] : [old, admitted];
        const found = await context.engine.contains(wider, narrower);
        verdicts.push(found.verdict);
        for (const one of found.differences)
          differences.push({ direction, version: version.version, ...one });
      }
    }
    const verdict =
      verdicts.find((one) => one === 'incompatible') ?? verdicts.find((one) => one === 'unknown');
    const listed = differences.slice(0, context.limits.compatibilityItemsMax);
    return ok({ mode, verdict: verdict ?? 'compatible', differences: listed });
  });
}

async function versionsFor(
  { store, limits }: RegisterSchemaParts,
  mode: CompatibilityMode,
  newest: WorkflowSchema,
): Promise<Result<readonly WorkflowSchema[]>> {
  if (!isTransitive(mode)) return ok([newest]);
  const { compatibilitySchemasMax: maximum } = limits;
  const page = await store.read.schemaVersions(newest.name, { limit: maximum, cursor: null });
  if (page.nextCursor === null) return ok(page.items);
  return fail(
    'limit_exceeded',
    `${newest.name} has more than ${String(maximum)} versions to compare with. Delete those that no state needs, or take a mode that is not transitive.`,
    { limit: 'compatibilitySchemasMax', maximum, actual: newest.version },
  );
}

function incompatible(name: string, { mode, verdict, differences }: Comparison) {
  const [first] = differences;
  const more = differences.length > 1 ? ` (and ${String(differences.length - 1)} more)` : '';
  const what = verdict === 'unknown' ? 'cannot be shown to keep' : 'breaks';
  const where = first === undefined ? '' : ` ${whereOf(first)}: ${first.message}${more}.`;
  return fail(
    'incompatible_schema',
    `The schema ${what} the compatibility of ${name}, which is ${mode}.${where} Nothing was registered.`,
    {
      compatibility: mode,
      verdict,
      differences: differences.map((one) => ({ ...one })),
    },
  );
}

function whereOf({ direction, version, pointer }: api.SchemaDifference): string {
  const refuses = direction === 'backward' ? 'the new schema' : `version ${String(version)}`;
  return `${pointer === '' ? 'The top' : pointer} of ${refuses}`;
}
