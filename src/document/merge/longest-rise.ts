// The longest rising subsequence of numbers. Knows not what they stand for.

/** @returns The indices of one such subsequence, in their order; the numbers have to be different. */
export function longestRise(numbers: readonly number[]): readonly number[] {
  /** For each length, the index of the least number that ends a rise of that length. */
  const ends: number[] = [];
  const before = new Array<number>(numbers.length).fill(-1);
  for (const [index, number] of numbers.entries()) {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((numbers[ends[middle] ?? -1] ?? 0) < number) low = middle + 1;
      else high = middle;
    }
    before[index] = ends[low - 1] ?? -1;
    ends[low] = index;
  }
  const rise: number[] = [];
  for (let at = ends.at(-1) ?? -1; at >= 0; at = before[at] ?? -1) rise.push(at);
  return rise.reverse();
}
