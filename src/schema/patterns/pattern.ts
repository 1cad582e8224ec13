// Patterns on RE2, which takes linear time for every pattern. The only file that imports re2js.
import { RE2JS } from 're2js';
import { re2Of } from './ecma-pattern.js';

/** Describes the dialect in messages. */
export const PATTERN_DIALECT =
  'patterns are RE2 (linear time): no lookahead, no lookbehind, no backreferences, no repetition over 1000, of Unicode properties only categories and scripts';

/** Compiles an ECMA-262 pattern. Throws if it is invalid or has no equivalent in RE2. */
export function compilePattern(pattern: string): RE2JS {
  return RE2JS.compile(re2Of(pattern));
}

/** Why a pattern cannot be used, or `null`. */
export function patternProblem(pattern: string): string | null {
  try {
    compilePattern(pattern);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : 'not a pattern';
  }
}

/**
 * The number of states of a pattern's automaton: the cost per byte of text. `Infinity` if the pattern is too
 * long to analyze, or invalid.
 */
export function patternStates(pattern: string): number {
  if (pattern.length > 500) return Infinity;
  try {
    return compilePattern(pattern).programSize();
  } catch {
    return Infinity;
  }
}
