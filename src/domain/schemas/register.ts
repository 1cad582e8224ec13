// Versions of workflow schemas: the same content is the same version.
import type { Draft } from '../draft.js';
import { accepted, refused, type Outcome } from '../errors.js';
import type { JsonObject } from '../json.js';
import type { WorkflowSchema } from '../records.js';

export interface SchemaCommand {
  readonly name: string;
  readonly jsonSchema: JsonObject;
  readonly hash: string;
  readonly description: string | null;
}

/** @returns The version with this content, and whether it is new. */
export function registerSchema(
  draft: Draft,
  command: SchemaCommand,
): Outcome<{ schema: WorkflowSchema; created: boolean }> {
  const { name, hash } = command;
  draft.need({ want: 'schemaName', name, hash });
  const known = [...draft.family.schemas.values()].filter((schema) => schema.name === name);
  const same = known.find((schema) => schema.hash === hash);
  if (same !== undefined) return accepted({ schema: same, created: false });
  const schema: WorkflowSchema = {
    schemaId: draft.context.newId('schema'),
    name,
    version: Math.max(0, ...known.map((one) => one.version)) + 1,
    jsonSchema: command.jsonSchema,
    hash,
    description: command.description,
    compatibility: 'none',
    createdAt: draft.now,
    updatedAt: draft.now,
    revision: 0,
  };
  draft.put('schema', schema, undefined);
  return accepted({ schema, created: true });
}

/** @returns Nothing; or `schema_not_found`, `schema_in_use`. */
export function removeSchema(draft: Draft, name: string, version: number): Outcome<null> {
  draft.need({ want: 'schemaVersion', name, version });
  const schema = [...draft.family.schemas.values()].find(
    (one) => one.name === name && one.version === version,
  );
  if (schema === undefined) {
    return refused('schema_not_found', `There is no workflow schema ${name} version ${String(version)}.`);
  }
  const states = draft.family.schemaUses.get(schema.schemaId) ?? 0;
  if (states > 0) {
    return refused(
      'schema_in_use',
      `${String(states)} workflow states are on this version, or have a history on it. Delete them first, or keep the version.`,
      { states },
    );
  }
  draft.remove('schema', schema.schemaId);
  return accepted(null);
}
