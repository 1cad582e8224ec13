// Patterns in linear time: on RE2, or on the platform where that is linear too. The only file that imports re2js.
import { RE2JS } from 're2js';
import { parsePattern, re2Of } from './ecma-pattern.js';
import { isLinear } from './linear.js';

/** Describes the dialect in messages. */
export const PATTERN_DIALECT =
  'patterns are RE2 (linear time): no lookahead, no lookbehind, no backreferences, no repetition over 1000, of Unicode properties only categories and scripts';

/** A compiled pattern. */
export interface CompiledPattern {
  test(text: string): boolean;
}

/** Compiles an ECMA-262 pattern. Throws if it is invalid or has no equivalent in RE2. */
export function compilePattern(pattern: string): CompiledPattern {
  const automaton = automatonOf(pattern);
  return nativeOf(pattern) ?? automaton;
}

function automatonOf(pattern: string): RE2JS {
  return RE2JS.compile(re2Of(pattern));
}

/** The platform's form of a pattern, which takes a tenth of the time; `null` if that may not be linear. */
function nativeOf(pattern: string): RegExp | null {
  if (!isLinear(parsePattern(pattern))) return null;
  try {
    return new RegExp(pattern, 'u');
  } catch {
    // It has a needless escape, which is valid only without the flag.
    return null;
  }
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
    return automatonOf(pattern).programSize();
  } catch {
    return Infinity;
  }
}
