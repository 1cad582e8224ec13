// What one comparison of two schemas is about: its rules, its differences, and what the keywords may ask it.
import type { JsonObject } from '../../domain/json/json.js';
import type { Known, Shape } from './shape.js';
import type { Side } from './side.js';

/** A rule of the wider schema that does not follow from the narrower one. */
export interface Difference {
  /** Place of the rule in the wider schema. */
  readonly pointer: string;
  /** Its keyword. */
  readonly rule: string;
  readonly message: string;
  /** True where there is a document that shows it, as far as can be told. */
  readonly certain: boolean;
}

/** One rule of the wider schema at one place. */
export interface Rule {
  /** The subschema that states it. */
  readonly wide: number;
  readonly schema: JsonObject;
  /** What the narrower schema says of the place. */
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
