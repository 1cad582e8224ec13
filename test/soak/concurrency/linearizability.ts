// Whether what clients saw of one state can have happened in one order that respects real time. Pure; knows a state as a
// versioned register: every change gives it the next version and a value, every answer tells a version.
//
// Since answers tell versions, the order is given: it is that of the versions. It remains to be shown that it agrees with
// the clock (an operation that returned before another was invoked has its place before it), and that each version is made
// by one write and seen with one value. Writes whose answer was lost may have happened at any time after they were sent, or never.

interface Answered {
  /** Names it in what is found. */
  readonly id: string;
  /** By a clock that never goes back, in milliseconds; with `returnedAt` around the moment when it happened. */
  readonly invokedAt: number;
  readonly returnedAt: number;
  readonly version: number;
  /** Equal for equal documents; `null` where it was not looked at. */
  readonly value: string | null;
}

export interface Write extends Answered {
  readonly kind: 'write';
  /** False where the answer was that nothing changed. */
  readonly changed: boolean;
  /** The version on which alone it was to be written; `null` for any. */
  readonly expected: number | null;
}

/** A write that was refused for the version it expected; the answer told the present one. */
export interface Conflict extends Answered {
  readonly kind: 'conflict';
  readonly expected: number;
}

/** `past`: a version was asked for, not the present one. */
export interface Read extends Answered {
  readonly kind: 'read' | 'past';
}

/** A write whose answer never came. */
export interface Lost {
  readonly kind: 'lost';
  readonly id: string;
  readonly invokedAt: number;
}

export type Operation = Write | Conflict | Read | Lost;
type Seen = Exclude<Operation, Lost>;

export type Rule =
  | 'two_writes_one_version'
  | 'reordered'
  | 'stale_read'
  | 'read_from_the_future'
  | 'lost_update'
  | 'two_values'
  | 'condition_ignored'
  | 'false_conflict'
  | 'unexplained_version';

export interface Breach {
  readonly rule: Rule;
  readonly detail: string;
}

/**
 * Breaches of linearizability; none where the history can have happened.
 *
 * @param operations - All writes to the state, the one that created it among them, and any reads; in any order.
 */
export function breachesIn(operations: readonly Operation[]): readonly Breach[] {
  const seen = operations.filter((one) => one.kind !== 'lost');
  const lost = operations.filter((one) => one.kind === 'lost');
  const writers = new Map<number, Write>();
  const breaches: Breach[] = [];
  for (const one of seen) {
    if (!isChange(one)) continue;
    const other = writers.get(one.version);
    if (other !== undefined) breaches.push(breach('two_writes_one_version', one, `as ${other.id} has`));
    else writers.set(one.version, one);
  }
  return [
    ...breaches,
    ...seen.flatMap(conditionBreaches),
    ...clockBreaches(seen),
    ...futureBreaches(seen, writers),
    ...valueBreaches(seen, writers),
    ...unexplained(seen, writers, lost),
  ];
}

function isChange(one: Seen): one is Write {
  return one.kind === 'write' && one.changed;
}

function breach(rule: Rule, { id, version }: Answered, words: string): Breach {
  return { rule, detail: `${id} tells version ${String(version)}, ${words}` };
}

function conditionBreaches(one: Seen): Breach[] {
  if (one.kind === 'conflict') {
    return one.version === one.expected ? [breach('false_conflict', one, 'the very one it expected')] : [];
  }
  if (one.kind !== 'write' || one.expected === null) return [];
  const words = `and was to be written on ${String(one.expected)} alone`;
  if (one.changed) return one.version === one.expected + 1 ? [] : [breach('lost_update', one, words)];
  return one.version === one.expected ? [] : [breach('condition_ignored', one, words)];
}

/** What returned before something was invoked stands before it. */
function clockBreaches(seen: readonly Seen[]): Breach[] {
  const breaches: Breach[] = [];
  const byReturn = seen.toSorted((a, b) => a.returnedAt - b.returnedAt);
  let floor: Seen | null = null;
  let next = 0;
  for (const one of seen.toSorted((a, b) => a.invokedAt - b.invokedAt)) {
    for (; (byReturn[next]?.returnedAt ?? Infinity) < one.invokedAt; next += 1) {
      const returned = byReturn[next];
      if (returned !== undefined && returned.version > (floor?.version ?? 0)) floor = returned;
    }
    if (floor === null || one.kind === 'past' || one.version >= floor.version) continue;
    const words = `after ${floor.id} had told ${String(floor.version)}`;
    breaches.push(breach(isChange(one) ? 'reordered' : 'stale_read', one, words));
  }
  return breaches;
}

/** Nobody sees a version before its writer has begun. */
function futureBreaches(seen: readonly Seen[], writers: ReadonlyMap<number, Write>): Breach[] {
  return seen.flatMap((one) => {
    const writer = writers.get(one.version);
    return writer !== undefined && writer !== one && !isChange(one) && one.returnedAt < writer.invokedAt
      ? [breach('read_from_the_future', one, `before ${writer.id} was sent, which made it`)]
      : [];
  });
}

/** All see a version with the value that its writer was told. */
function valueBreaches(seen: readonly Seen[], writers: ReadonlyMap<number, Write>): Breach[] {
  const known = new Map<number, Seen>();
  for (const [version, writer] of writers) if (writer.value !== null) known.set(version, writer);
  return seen.flatMap((one) => {
    if (one.value === null) return [];
    const first = known.get(one.version);
    if (first === undefined) known.set(one.version, one);
    if (first === undefined || first.value === one.value) return [];
    const rule = isChange(first) && !isChange(one) ? 'lost_update' : 'two_values';
    return [breach(rule, one, `with another value than ${first.id}`)];
  });
}

/**
 * Versions without an acknowledged writer are those of lost writes: each needs one of its own that was sent before anyone
 * was told of that version or a later one.
 */
function unexplained(
  seen: readonly Seen[],
  writers: ReadonlyMap<number, Write>,
  lost: readonly Lost[],
): Breach[] {
  const byVersion = seen.toSorted((a, b) => b.version - a.version);
  const last = byVersion[0]?.version ?? 0;
  const orphans: { version: number; earliest: Seen }[] = [];
  let earliest: Seen | null = null;
  let next = 0;
  for (let version = last; version >= 1; version -= 1) {
    for (; (byVersion[next]?.version ?? 0) >= version; next += 1) {
      const one = byVersion[next];
      if (one !== undefined && (earliest === null || one.returnedAt < earliest.returnedAt)) earliest = one;
    }
    if (earliest !== null && !writers.has(version)) orphans.push({ version, earliest });
  }
  const sent = lost.toSorted((a, b) => a.invokedAt - b.invokedAt);
  return orphans.reverse().flatMap(({ version, earliest: first }, n) => {
    const candidate = sent[n];
    if (candidate !== undefined && candidate.invokedAt <= first.returnedAt) return [];
    return [
      breach('unexplained_version', first, `and nobody can have written version ${String(version)} by then`),
    ];
  });
}
