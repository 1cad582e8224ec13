// The types of a comparison of two schemas: its rules, its differences, and the interface for the keyword
// comparisons.
import type { JsonObject } from '../../domain/json/json.js';
import type { Known, Shape } from './shape.js';
import type { Side } from './side.js';

/** A rule of the wider schema that the narrower one does not imply. */
export interface Difference {
  /** JSON Pointer to the rule in the wider schema. */
  readonly pointer: string;
  /** The rule's keyword. */
  readonly rule: string;
  readonly message: string;
  /** True if a document proves the difference, as far as this analysis can tell. */
  readonly certain: boolean;
}

/** A difference stays certain only if such a member or item can certainly exist. */
export function beneath(around: Shape, differences: readonly Difference[]): readonly Difference[] {
  return around.plain ? differences : unsure(differences);
}

/** The same differences, none of them certain. */
export function unsure(differences: readonly Difference[]): readonly Difference[] {
  return differences.map((one) => ({ ...one, certain: false }));
}

/** One rule of the wider schema at one location. */
export interface Rule {
  /** The subschema that contains the rule. */
  readonly wide: number;
  readonly schema: JsonObject;
  /** What the narrower schema requires of the location. */
  readonly shape: Shape;
}

/** A comparison as the keyword comparisons see it. */
export interface Comparison {
  readonly wide: Side;
  readonly narrow: Side;
  /** Counts a step. @returns False if no steps are left. */
  spend(): boolean;
  /** The rules of the wider subschema that the known facts do not imply; empty if all are implied. */
  compare(known: Known, wide: number): readonly Difference[];
  difference(rule: Rule, path: readonly (string | number)[], message: string, certain: boolean): Difference;
  /** True if a part of the narrower schema has the same values for these keywords. */
  saysSame(rule: Rule, keywords: readonly string[]): boolean;
  /** True if a scalar value is found that proves a difference at this location. */
  shown(rule: Rule): boolean;
}
