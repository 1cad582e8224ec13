// Versions of workflow schemas. Equal content is the same version.
import type { UnitOfWork } from '../transactions/unit-of-work.js';
import { ok, fail, type Result } from '../errors.js';
import type { JsonObject } from '../json/json.js';
import type { WorkflowSchema, CompatibilityMode } from '../records/records.js';
import { WORKFLOW_SCHEMA } from '../workflow/workflow.js';

interface SchemaCommand {
  readonly name: string;
  readonly jsonSchema: JsonObject;
  readonly hash: string;
  readonly description: string | null;
  /** The mode that the name gets; `null` keeps its present mode. */
  readonly compatibility: CompatibilityMode | null;
  /** The tree of the session that registers; `null` for any other caller, which may register under every name. */
  readonly rootSessionId: string | null;
}

/**
 * Name of the built-in schema that accepts any object. It belongs to the service, no matter which caller needs
 * it first.
 */
export const FREE_FORM = 'free-form';

/** Names of schemas that the service registers itself. */
const BUILT_IN: readonly string[] = [FREE_FORM, WORKFLOW_SCHEMA];

/** The newest version of a name, and its version with a given content. */
export interface NamedVersions {
  readonly newest: WorkflowSchema | null;
  readonly same: WorkflowSchema | null;
}

export function namedVersions(unit: UnitOfWork, name: string, hash: string): NamedVersions {
  unit.need({ load: 'schemaName', name, hash });
  const known = [...unit.records.schemas.values()].filter((schema) => schema.name === name);
  const newest = known.reduce<WorkflowSchema | null>(
    (best, one) => (best === null || one.version > best.version ? one : best),
    null,
  );
  return { newest, same: known.find((schema) => schema.hash === hash) ?? null };
}

/** A registered version, and whether it is new. */
export interface Registered {
  readonly schema: WorkflowSchema;
  readonly created: boolean;
}

/**
 * Whether a caller may add to a schema name. A session registers new names for its tree, and adds versions and
 * modes only to those, because other trees validate against the other names. A registration that changes
 * nothing is open to everyone.
 *
 * @returns Nothing; or `forbidden`.
 */
export function mayRegister(
  { name, compatibility, rootSessionId }: Pick<SchemaCommand, 'name' | 'compatibility' | 'rootSessionId'>,
  { newest, same }: NamedVersions,
): Result<null> {
  if (rootSessionId === null) return ok(null);
  const isOwn = newest === null ? !BUILT_IN.includes(name) : newest.ownerRootSessionId === rootSessionId;
  const changesMode = [same, newest].some(
    (one) => one !== null && compatibility !== null && one.compatibility !== compatibility,
  );
  if (isOwn || (same !== null && !changesMode)) return ok(null);
  return fail(
    'forbidden',
    `The schema name ${name} is not one that your tree registered, so its versions and its compatibility are not yours to change. Use a version that is there, or register under another name.`,
    { schema_name: name },
  );
}

/**
 * Registers a content. The mode of a name is that of its newest version. A new version inherits it unless the
 * command sets another one. Known content with another mode changes the mode.
 *
 * @param comparedWith - The newest version at the time of the comparison; `null` if there was none.
 * @returns The version with this content; or `null` if the name has a newer version by now, so that the caller has to
 *   compare again; or `forbidden`, `limit_exceeded`.
 */
export function registerSchema(
  unit: UnitOfWork,
  command: SchemaCommand,
  comparedWith: number | null,
): Result<Registered | null> {
  const { name, hash } = command;
  const { newest, same } = namedVersions(unit, name, hash);
  const may = mayRegister(command, { newest, same });
  if (!may.ok) return may;
  const mode = command.compatibility ?? newest?.compatibility ?? 'none';
  if (same !== null) {
    const changed = [same, ...(newest === null ? [] : [newest])].filter((one) => one.compatibility !== mode);
    if (command.compatibility === null || changed.length === 0) {
      return ok({ schema: same, created: false });
    }
    for (const one of new Set(changed)) {
      unit.put('schema', { ...one, compatibility: mode, updatedAt: unit.now }, one);
    }
    return ok({ schema: { ...same, compatibility: mode, updatedAt: unit.now }, created: false });
  }
  if ((newest?.version ?? null) !== comparedWith) return ok(null);
  const limit = checkSchemaLimit(unit, command.rootSessionId);
  if (!limit.ok) return limit;
  const schema: WorkflowSchema = {
    schemaId: unit.context.newId('schema'),
    name,
    version: (newest?.version ?? 0) + 1,
    jsonSchema: command.jsonSchema,
    hash,
    description: command.description,
    compatibility: mode,
    ownerRootSessionId: newest === null ? command.rootSessionId : newest.ownerRootSessionId,
    createdAt: unit.now,
    updatedAt: unit.now,
    revision: 0,
  };
  unit.put('schema', schema, undefined);
  return ok({ schema, created: true });
}

/**
 * Schemas of sessions stay for good, so each tree has a limit.
 *
 * @returns Nothing; or `limit_exceeded`.
 */
function checkSchemaLimit(unit: UnitOfWork, rootSessionId: string | null): Result<null> {
  if (rootSessionId === null) return ok(null);
  unit.need({ load: 'schemasOwned', rootSessionId });
  const { schemasPerTreeMax: maximum } = unit.context.limits;
  const actual = (unit.records.schemasOwned.get(rootSessionId) ?? 0) + 1;
  if (actual <= maximum) return ok(null);
  return fail(
    'limit_exceeded',
    `The sessions of a tree register at most ${String(maximum)} schema versions. Use one that is there.`,
    { limit: 'schemasPerTreeMax', maximum, actual },
  );
}

/** @returns Nothing; or `schema_not_found`, `schema_in_use`. */
export function removeSchema(unit: UnitOfWork, name: string, version: number): Result<null> {
  unit.need({ load: 'schemaVersion', name, version });
  const schema = [...unit.records.schemas.values()].find(
    (one) => one.name === name && one.version === version,
  );
  if (schema === undefined) return noSchemaVersion(name, version);
  const states = unit.records.schemaUses.get(schema.schemaId) ?? 0;
  if (states > 0) {
    return fail(
      'schema_in_use',
      `${String(states)} workflow states are on this version, or have a history on it. Delete them first, or keep the version.`,
      { states },
    );
  }
  unit.remove('schema', schema.schemaId);
  return ok(null);
}

export function noSchemaVersion(name: string, version: number) {
  return fail('schema_not_found', `There is no workflow schema ${name} version ${String(version)}.`, {
    schema_name: name,
    schema_version: version,
  });
}
