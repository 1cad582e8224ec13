// Wire contract of atomic operators, diffs and reverts.
import { Type, type Static } from 'typebox';
import { closed, Version } from '../common.js';
import { JsonPatch, OperatorsToApply } from './patches.js';

export const StateOps = Type.Object(
  { operations: OperatorsToApply, expected_version: Type.Optional(Version) },
  closed,
);
export type StateOps = Static<typeof StateOps>;

export const DiffQuery = Type.Object({ from: Version, to: Type.Optional(Version) }, closed);
export type DiffQuery = Static<typeof DiffQuery>;

export const StateDiff = Type.Object({ from: Version, to: Version, patch: JsonPatch });
export type StateDiff = Static<typeof StateDiff>;

export const StateRevert = Type.Object(
  { to_version: Version, expected_version: Type.Optional(Version) },
  closed,
);
export type StateRevert = Static<typeof StateRevert>;
