// What the root makes of its children's reviews. Pure: it reads the state, not the repository.
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../domain/json/json.js';
import { languageOf } from './reviews/language.js';

export type Missing = JsonObject & { readonly child: string; readonly said: string | null };

export type Summary = JsonObject & {
  readonly verdict: 'approve' | 'approve_with_remarks' | 'request_changes';
};

interface Finding {
  readonly text: string;
  readonly blocks: boolean;
}

const OLD_DAYS = 365;
const LONG_LINES = 1000;

/** @param reviews - The value at /reviews, as its schema describes it. */
export function summaryOf(reviews: JsonObject, missing: readonly Missing[]): Summary {
  const findings = [
    ...findingsOnFiles(member(reviews, 'largest_files')),
    ...findingsOnNotes(member(reviews, 'todos')),
    ...findingsOnDependencies(member(reviews, 'dependencies')),
    ...missing.map(({ child }) => remark(`${child} has recorded nothing; what it said is quoted below.`)),
  ];
  const verdict = findings.some(({ blocks }) => blocks)
    ? 'request_changes'
    : findings.length > 0
      ? 'approve_with_remarks'
      : 'approve';
  return {
    verdict,
    headline: headlineOf(member(reviews, 'languages')),
    findings: findings.map(({ text }) => text),
    missing,
  };
}

function headlineOf(languages: JsonObject): string {
  const [main] = objects(languages['languages']);
  const what = `${number(languages['lines'])} lines in ${number(languages['files'])} text files`;
  return main === undefined
    ? `${what}.`
    : `${what}, ${number(main['percent'])} % of it ${text(main['language'])}.`;
}

function findingsOnFiles(largest: JsonObject): Finding[] {
  const code = objects(largest['files']).filter((file) => languageOf(text(file['path'])).isCode);
  const long = code.filter((file) => number(file['lines']) > LONG_LINES);
  return long.length === 0
    ? []
    : [
        remark(
          `${counted(long.length, 'file')} of code with more than ${LONG_LINES} lines; the largest is ${text(long[0]?.['path'])}.`,
        ),
      ];
}

function findingsOnNotes(todos: JsonObject): Finding[] {
  const total = number(todos['total']);
  const oldest = number(todos['oldest_days']);
  const findings = total === 0 ? [] : [remark(`${counted(total, 'note')} left open in comments.`)];
  if (oldest > OLD_DAYS) findings.push(remark(`The oldest note has been open for ${oldest} days.`));
  return findings;
}

function findingsOnDependencies(dependencies: JsonObject): Finding[] {
  const all = objects(dependencies['dependencies']);
  const copyleft = all.filter((one) => one['kind'] === 'runtime' && isCopyleft(text(one['licence'])));
  const unknown = number(dependencies['unknown']);
  return [
    ...copyleft.map((one) => ({
      text: `${text(one['name'])} comes under ${text(one['licence'])} and is needed to run.`,
      blocks: true,
    })),
    ...(unknown === 0 ? [] : [remark(`The licence of ${counted(unknown, 'dependency')} is not known.`)]),
  ];
}

/** Where there is a choice of licences, there is another one to take. */
function isCopyleft(licence: string): boolean {
  return /\bA?GPL/.test(licence) && !/\bOR\b/.test(licence);
}

function remark(sentence: string): Finding {
  return { text: sentence, blocks: false };
}

function counted(count: number, noun: string): string {
  return count === 1
    ? `1 ${noun}`
    : `${count} ${noun.endsWith('y') ? `${noun.slice(0, -1)}ies` : `${noun}s`}`;
}

function member(object: JsonObject, name: string): JsonObject {
  const value = object[name];
  return isJsonObject(value) ? value : {};
}

function objects(value: JsonValue | undefined): readonly JsonObject[] {
  return isJsonArray(value) ? value.filter((one) => isJsonObject(one)) : [];
}

function number(value: JsonValue | undefined): number {
  return typeof value === 'number' ? value : 0;
}

function text(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}
