// What has to be true of a state when all is over: its history against its document and against what clients were told. Pure.
import { isDeepStrictEqual } from 'node:util';
import fastJsonPatch from 'fast-json-patch';
import type { EventView } from '../../../src/client/index.js';
import { digest, type Effect, type Journal } from './journal.js';
import { breachesIn, type Operation } from './linearizability.js';

export interface Remains {
  readonly version: number;
  readonly document: unknown;
  readonly events: readonly EventView[];
}

/** Every text that a request wrote looks like this. */
export const TOKEN = /t[0-9]+-[0-9]+/g;

const AFTER_ALL = Number.MAX_VALUE;

/** @returns What is wrong, in sentences; none where all is well. */
export function problemsOf(journal: Journal, remains: Remains): readonly string[] {
  const problems = [...sequenceProblems(remains), ...tokenProblems(journal, remains.events)];
  const past = replay(journal, remains, problems);
  const breaches = breachesIn([...journal.operations, ...past]);
  problems.push(...breaches.map(({ rule, detail }) => `${rule}: ${detail}`));
  return problems.map((one) => `${journal.name}: ${one}`);
}

function sequenceProblems({ events, version }: Remains): string[] {
  const gap = events.findIndex((event, n) => event.version !== n + 1);
  if (gap !== -1)
    return [`the history has ${String(events[gap]?.version)} where ${String(gap + 1)} was to be`];
  if (events.length === version) return [];
  return [`the history ends with ${String(events.length)}, the state has ${String(version)}`];
}

/** An acknowledged write stands where it was said to; one that was refused nowhere; none twice. */
function tokenProblems({ fates }: Journal, events: readonly EventView[]): string[] {
  const found = new Map<string, number[]>();
  for (const { version, kind, patch } of events) {
    // What a revert brings back was written before.
    if (kind === 'revert') continue;
    for (const token of new Set(JSON.stringify(patch).match(TOKEN) ?? [])) {
      found.set(token, [...(found.get(token) ?? []), version]);
    }
  }
  const problems: string[] = [];
  for (const [token, fate] of fates) {
    const versions = found.get(token) ?? [];
    const where = versions.length === 0 ? 'nowhere' : `in version ${versions.join(' and ')}`;
    if (versions.length > 1) problems.push(`${token} was written twice: ${where}`);
    else if (fate === 'void' && versions.length > 0)
      problems.push(`${token} was not to be written and is ${where}`);
    else if (typeof fate === 'number' && versions[0] !== fate) {
      problems.push(`${token} was acknowledged in version ${String(fate)} and is ${where}`);
    }
  }
  for (const token of found.keys()) if (!fates.has(token)) problems.push(`${token} was never sent`);
  return problems;
}

/** Goes through the history; each version holds what its writer was promised. Gives each version as it was. */
function replay(journal: Journal, { events, document }: Remains, problems: string[]): Operation[] {
  const promised = new Map<number, Effect[]>();
  for (const { version, effects } of journal.promises) {
    promised.set(version, [...(promised.get(version) ?? []), ...effects]);
  }
  const digests = new Map<number, string>();
  const past: Operation[] = [];
  let now: any = null;
  let counted = 0;
  for (const { version, patch } of events) {
    const before = new Map<string, unknown>();
    const effects = promised.get(version) ?? [];
    for (const one of effects) if ('adds' in one) before.set(one.pointer, at(now, one.pointer));
    const operations = fastJsonPatch.deepClone(patch) as fastJsonPatch.Operation[];
    now = fastJsonPatch.applyPatch(now, operations).newDocument;
    const value = digest(now);
    digests.set(version, value);
    past.push({
      kind: 'past',
      id: 'the history',
      invokedAt: AFTER_ALL,
      returnedAt: AFTER_ALL,
      version,
      value,
    });
    for (const one of effects) {
      if (!holds(one, now, before, digests)) {
        problems.push(`version ${String(version)} lacks what was acknowledged: ${JSON.stringify(one)}`);
      }
    }
  }
  if (!isDeepStrictEqual(now, document)) problems.push('the history does not give the document');
  for (const one of Object.values(now?.counters ?? {})) counted += Number(one);
  const { acknowledged, lost } = journal.added;
  if (counted < acknowledged || counted > acknowledged + lost) {
    const terms = `${String(acknowledged)} acknowledged, ${String(lost)} lost on the way`;
    problems.push(`the counters are at ${String(counted)}: ${terms}`);
  }
  return past;
}

function holds(
  effect: Effect,
  now: unknown,
  before: ReadonlyMap<string, unknown>,
  digests: ReadonlyMap<number, string>,
): boolean {
  if ('asAtVersion' in effect) return digest(now) === digests.get(effect.asAtVersion);
  const value = at(now, effect.pointer);
  if ('is' in effect) return isDeepStrictEqual(value, effect.is);
  if ('holds' in effect) return Array.isArray(value) && value.includes(effect.holds);
  return Number(value) - Number(before.get(effect.pointer) ?? 0) === effect.adds;
}

function at(document: any, pointer: string): unknown {
  return pointer
    .split('/')
    .slice(1)
    .reduce((place, name) => place?.[name], document);
}
