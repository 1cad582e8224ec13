// The summary of a workflow state for a parent that gets callbacks: the members that changed last, bounded in
// number and length. Names and values of the document cannot break out of it.
import { boundedText, outlineOf, visible } from '../excerpt.js';
import { framed } from '../framing.js';
import { isLongerThan } from '../json/text-size.js';
import type { JsonObject, JsonValue } from '../json/json.js';
import { formatPointer } from '../json/pointer.js';

export interface SummaryFacts {
  /** Name of the session that reads it. */
  readonly sessionName: string;
  readonly stateId: string;
  readonly version: number;
  readonly document: JsonObject;
  /** The version in which a member last changed. */
  readonly changedAt: (name: string) => number;
}

/** Members that a summary names, and its whole length. */
export const SUMMARY_MEMBERS_MAX = 20;
export const SUMMARY_CHARACTERS_MAX = 4000;
/** Longer names are cut. */
const NAME_CHARACTERS_MAX = 128;
/** Longer values are shown as an outline or an excerpt of at most this length. */
const VALUE_CHARACTERS_MAX = 400;

/** The members that changed last, the latest first, framed so that a model does not read them as its user's words. */
export function stateSummary(facts: SummaryFacts): string {
  const { document, changedAt } = facts;
  const names = Object.keys(document)
    .map((name) => ({ name, version: changedAt(name) }))
    .sort((a, b) => b.version - a.version);
  const lines = names
    .slice(0, SUMMARY_MEMBERS_MAX)
    .map(({ name, version }) => memberLine(name, version, document[name] ?? null));
  // Escaping lengthens a text, so the length is that of the finished one.
  for (;;) {
    const summary = textOf(facts, lines, names.length);
    if (summary.length <= SUMMARY_CHARACTERS_MAX || lines.pop() === undefined) return summary;
  }
}

function textOf(facts: SummaryFacts, lines: readonly Line[], count: number): string {
  const { sessionName, stateId, version } = facts;
  const members = lines.length === 0 ? '[]' : `[\n${lines.map(({ text }) => text).join(',\n')}\n]`;
  const isTruncated = lines.length < count || lines.some(({ isWhole }) => !isWhole);
  const body = [
    `The workflow state now (version ${String(version)}), the members that changed last first:`,
    `{"members":${members},"_truncated":${String(isTruncated)},"count":${String(count)}}`,
    `Read all of it, or a part: the MCP tool state_read, or: countersign state get ${stateId}`,
  ];
  const attributes = { session: sessionName, state: stateId, state_version: String(version) };
  return framed('countersign-session', attributes, body.join('\n'));
}

interface Line {
  readonly text: string;
  /** It shows the whole name and the whole value. */
  readonly isWhole: boolean;
}

/** One member as a JSON object on one line. */
function memberLine(name: string, version: number, value: JsonValue): Line {
  const pointer = formatPointer([name.slice(0, NAME_CHARACTERS_MAX)]);
  const isShort = !isLongerThan(value, VALUE_CHARACTERS_MAX);
  const shown = isShort
    ? `"value":${JSON.stringify(value)}`
    : typeof value === 'string'
      ? `"excerpt":${JSON.stringify(boundedText(value, VALUE_CHARACTERS_MAX))}`
      : `"outline":${JSON.stringify(outlineOf(value, VALUE_CHARACTERS_MAX))}`;
  const isWhole = isShort && name.length <= NAME_CHARACTERS_MAX;
  const start = `{"pointer":${JSON.stringify(pointer)},"version":${String(version)},${shown}`;
  return { text: visible(`${start}${isWhole ? '' : ',"_truncated":true'}}`), isWhole };
}
