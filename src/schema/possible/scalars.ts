// Candidate strings and numbers for a case, simplest first.
import { numberOf, textsOf } from '../compatibility/side.js';
import { schemaOf, type Case } from './cases.js';
import { formatText } from './format-text.js';
import { patternText } from './pattern-text.js';

const PLAIN = 'example';
/** Numbers of extra repetitions to try for a pattern. */
const REPETITIONS = [0, 1, 2, 3, 7, 15, 35];
/** A longer text is not a helpful example. */
const CHARACTERS_MAX = 500;

export function bound(spots: Case, keyword: string, pick: 'least' | 'most'): number {
  const of = pick === 'least' ? Infinity : -Infinity;
  const all = spots.map((spot) => numberOf(schemaOf(spot)[keyword], of));
  return pick === 'least' ? Math.min(Infinity, ...all) : Math.max(-Infinity, ...all);
}

export function* textsFor(spots: Case, seed: number): Iterable<string> {
  const least = Math.max(0, bound(spots, 'minLength', 'most'));
  const most = bound(spots, 'maxLength', 'least');
  if (least > CHARACTERS_MAX) return;
  const textsAt = (keyword: string) => spots.flatMap((spot) => textsOf([schemaOf(spot)[keyword] ?? null]));
  for (const format of textsAt('format')) {
    const text = formatText(format, seed);
    if (text !== null) yield text;
  }
  for (const pattern of textsAt('pattern')) {
    for (const more of REPETITIONS) {
      const text = patternText(pattern, more, seed);
      if (text === null) continue;
      yield text;
      // A pattern with an open end may match the padded text.
      if (text.length < least) yield text.padEnd(least, 'x');
    }
  }
  const plain = seed === 0 ? PLAIN : `${PLAIN}${String(seed)}`;
  yield plain.length > most ? plain.slice(plain.length - most) : plain.padEnd(least, 'x');
}

export function* numbersFor(spots: Case, seed: number): Iterable<number> {
  const low = Math.max(bound(spots, 'minimum', 'most'), bound(spots, 'exclusiveMinimum', 'most'));
  const high = Math.min(bound(spots, 'maximum', 'least'), bound(spots, 'exclusiveMaximum', 'least'));
  const start = low > -Infinity ? Math.ceil(low) : Math.min(1, Math.floor(high));
  const direction = low === -Infinity && high < 1 ? -1 : 1;
  yield start + direction * seed;
  yield start + direction * (seed + 1);
  for (const spot of spots) {
    const step = numberOf(schemaOf(spot)['multipleOf'], 0);
    if (step === 0) continue;
    const multiple = Math.ceil((low > -Infinity ? low : Math.min(0, high)) / step);
    for (const at of [0, 1, -1]) yield (multiple + at + direction * seed) * step;
  }
  if (low > -Infinity) yield low;
  if (high < Infinity) yield high;
  if (low > -Infinity && high < Infinity) yield low + (high - low) / (2 + seed);
}
