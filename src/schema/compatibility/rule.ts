// What one comparison of two schemas is about: its rules, its differences, and what the keywords may ask it.
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

/** One rule of the wider schema at one location. */
export interface Rule {
  /** The subschema that contains the rule. */
  readonly wide: number;
  readonly schema: JsonObject;
  /** What the narrower schema requires of the location. */
  readonly shape: Shape;
}

/** A comparison as its keywords see it. */
export interface Comparison {
  readonly wide: Side;
  readonly narrow: Side;
  /** Counts a step. @returns False where there are none left. */
  spend(): boolean;
  /** What of the wider subschema does not follow from what is known; nothing where all of it does. */
  place(known: Known, wide: number): readonly Difference[];
  difference(rule: Rule, path: readonly (string | number)[], message: string, certain: boolean): Difference;
  /** True where a part of the narrower schema says the same by these keywords. */
  saysSame(rule: Rule, keywords: readonly string[]): boolean;
  /** A document that shows a difference at a place that holds neither objects nor arrays, where one is found. */
  shown(rule: Rule): boolean;
}
