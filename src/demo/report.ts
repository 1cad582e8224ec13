// The report at the end: what each parent would have got, one callback, and on demand everything.
import { table, type Style } from '../cli/text/table.js';
import { harmless, jsonText } from '../cli/text/terminal-text.js';
import { valueAt } from '../domain/json/pointer.js';
import { CHILDREN, type Child } from './children.js';
import type { Snapshot } from './snapshot.js';

const OUTCOMES: Readonly<Record<string, string>> = { no_write: 'prose', contract_failed: 'refused' };
/** The child that never records: its callback names the missing result and includes the child's text. */
const CALLBACK_OF = 'test-ratio';
const VALUE_CHARACTERS_MAX = 60;

/** How a user calls what the report names. */
export interface HowToCall {
  readonly demo: string;
  readonly program: string;
}

/** @param said - Text with which each child's work ended, by its name. */
export function reportOf(
  snapshot: Snapshot,
  said: ReadonlyMap<string, string | null>,
  style: Style,
  call: HowToCall,
): string {
  const { callbacks, completions } = snapshot;
  const delivered = callbacks.filter(({ status }) => status === 'delivered').length;
  const accepted = CHILDREN.filter(({ pointer }) => isWritten(snapshot, pointer)).length;
  const owed = completions.get(CALLBACK_OF)?.session_id;
  const callback = callbacks.find((one) => one.child_session_id === owed)?.message ?? '(there is none)';
  return [
    table(
      ['child', 'a naive parent gets', 'asked to record', 'this parent gets'],
      CHILDREN.map((child) => [
        child.name,
        said.get(child.name)?.split('\n')[0],
        completions
          .get(child.name)
          ?.attempts.map(({ outcome }) => OUTCOMES[outcome] ?? outcome)
          .join(', '),
        resultOf(child, snapshot),
      ]),
      style,
    ),
    `\nThe naive parent has ${String(said.size)} unchecked texts, and takes every child for done.\n`,
    `This one has ${String(accepted)} accepted results, ${String(CHILDREN.length - accepted)} failure by name; each of ${String(delivered)} callbacks came once.\n`,
    `\nOne callback in full, of ${CALLBACK_OF}:\n`,
    indented(callback),
    '\n',
    ...aligned([
      [`${call.demo} --verbose`, 'every step and the final state'],
      [`${call.demo} --keep`, 'stays up, to look at it yourself'],
      [`${call.program} connect claude-code`, 'holds your Claude Code to the same rule'],
    ]),
  ].join('');
}

function aligned(lines: readonly (readonly [string, string])[]): readonly string[] {
  const width = Math.max(...lines.map(([command]) => command.length));
  return lines.map(([command, what]) => `${command.padEnd(width)}   ${what}\n`);
}

function isWritten({ state }: Snapshot, pointer: string): boolean {
  return valueAt(state?.current_data ?? null, pointer) !== undefined;
}

function resultOf({ name, pointer }: Child, { completions, state, events }: Snapshot): string {
  const completion = completions.get(name);
  const value = valueAt(state?.current_data ?? null, pointer);
  const written = events.findLast(({ session_id: by }) => by === completion?.session_id);
  if (value === undefined || written === undefined) {
    return `${completion?.state_update_status ?? 'nothing'}: ${completion?.reason ?? 'no write'}`;
  }
  return `v${String(written.version)} ${jsonText(value).slice(0, VALUE_CHARACTERS_MAX)}`;
}

/** Everything else: who wrote what, all callbacks, the final state. */
export function verboseReportOf({ sessions, events, callbacks, state }: Snapshot, style: Style): string {
  const nameOf = (id: string | null) => sessions.find(({ session_id }) => session_id === id)?.session_name;
  return [
    '\nWho wrote what\n',
    table(
      ['version', 'session', 'kind', 'at'],
      events.map((one) => [one.version, nameOf(one.session_id), one.kind, one.created_at]),
      style,
    ),
    '\nThe callbacks, as the parent got them\n',
    ...callbacks.map(({ message }) => indented(message ?? '')),
    `\nThe final state, version ${String(state?.version ?? 0)}\n${indented(jsonText(state?.current_data ?? null, 2))}\n`,
  ].join('');
}

function indented(text: string): string {
  const lines = harmless(text).split('\n');
  return lines.map((line) => (line.trim() === '' ? '' : `  ${line}\n`)).join('');
}
