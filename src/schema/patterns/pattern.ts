// Patterns on RE2, whose time is linear in the text whatever the pattern. The only file that knows re2js.
import { RE2JS } from 're2js';
import { re2Of } from './ecma-pattern.js';

/** What a message says about the dialect. */
export const PATTERN_DIALECT =
  'patterns are RE2 (linear time): no lookahead, no lookbehind, no backreferences, no repetition over 1000, of Unicode properties only categories and scripts';

/** Compiles a pattern of ECMA-262. Throws where it is none, and where RE2 cannot say the same. */
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

/** States of a pattern's automaton: what one byte of text may cost. `Infinity` where it is too long to look. */
export function patternStates(pattern: string): number {
  if (pattern.length > 500) return Infinity;
  try {
    return compilePattern(pattern).programSize();
  } catch {
    return Infinity;
  }
}
