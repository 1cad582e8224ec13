// Chance that can be had again: the same seed gives the same choices.

export interface Random {
  /** From 0 up to, not including, 1. */
  fraction(): number;
  /** From `min` to `max`, both included. */
  between(min: number, max: number): number;
  oneOf<T>(list: readonly [T, ...T[]]): T;
}

/** Mulberry32. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const fraction = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    fraction,
    between: (min, max) => min + Math.floor(fraction() * (max - min + 1)),
    oneOf: (list) => list[Math.floor(fraction() * list.length)] ?? list[0],
  };
}

export function newSeed(): number {
  return Math.floor(Math.random() * 2 ** 32);
}
