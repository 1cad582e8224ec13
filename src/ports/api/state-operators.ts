// Wire contract of atomic operators, differences and reverts.
import { Type, type Static } from 'typebox';
import type { JsonValue } from '../../domain/json.js';
import { closed, Json, Version } from './common.js';

/** Their form is checked by the service, so that each door answers the same. */
export const Operators = Type.Unsafe<JsonValue>({
  description:
    'Operators, each `{op, pointer, …}`: `increment {delta}`, `append {items}`, `merge {patch}`, `set {value}`, `delete`',
  examples: [[{ op: 'increment', pointer: '/count', delta: 1 }]],
});

export const StateOps = Type.Object(
  { operations: Operators, expected_version: Type.Optional(Version) },
  closed,
);
export type StateOps = Static<typeof StateOps>;

export const DiffQuery = Type.Object({ from: Version, to: Type.Optional(Version) }, closed);
export type DiffQuery = Static<typeof DiffQuery>;

export const StateDiff = Type.Object({ from: Version, to: Version, patch: Json });
export type StateDiff = Static<typeof StateDiff>;

export const StateRevert = Type.Object(
  { to_version: Version, expected_version: Type.Optional(Version) },
  closed,
);
export type StateRevert = Static<typeof StateRevert>;
