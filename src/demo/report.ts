// What is shown when the story is over: the final state, who wrote what, how each child did, what the parent was told.
import type { EventView, JsonValue } from '../client/index.js';
import { isJsonArray, isJsonObject } from '../domain/json/json.js';
import { CHILDREN, EXPECTED, ROOT, type Role } from './cast.js';
import { pointersOf } from './moments.js';
import type { Snapshot } from './snapshot.js';
import { prettyJson } from './pretty-json.js';
import { cut, harmless, painted, table, title, type Paper } from './text.js';

const ITEMS_SHOWN_MAX = 2;
const STATE_LINES_MAX = 120;
const CALLBACK_LINES_MAX = 5;

export function reportOf(snapshot: Snapshot, paper: Paper): string {
  return [
    title(`The final state (version ${snapshot.state?.version ?? 0}; long lists cut short)`, paper),
    finalState(snapshot, paper),
    title('Who wrote what', paper),
    table(
      ['version', 'session', 'kind', 'at', 'pointers'],
      snapshot.events.map((event) => rowOfEvent(event, snapshot)),
      paper,
    ),
    title('The children', paper),
    table(
      ['session', 'outcome', 'prompts', 'what became of each', 'as told'],
      CHILDREN.map((role) => rowOfChild(role, snapshot)),
      paper,
    ),
    title('The callbacks, as the parent got them', paper),
    callbacksOf(snapshot, paper),
  ].join('');
}

function finalState({ state }: Snapshot, paper: Paper): string {
  if (state === null) return '  (there is none)\n';
  const lines = prettyJson(shortened(state.current_data), paper.width - 4).split('\n');
  const kept = lines.slice(0, STATE_LINES_MAX);
  if (lines.length > kept.length) kept.push(`… ${lines.length - kept.length} more lines`);
  return kept.map((line) => `  ${harmless(line)}\n`).join('');
}

/** The value with long lists of objects cut: they say the same thing over and over. */
function shortened(value: JsonValue): JsonValue {
  if (isJsonArray(value)) {
    const items = value.map(shortened);
    const left = items.length - ITEMS_SHOWN_MAX;
    if (left <= 1 || !value.some((item) => isJsonObject(item))) return items;
    return [...items.slice(0, ITEMS_SHOWN_MAX), `… ${left} more`];
  }
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shortened(member)]));
}

function rowOfEvent(event: EventView, { sessions }: Snapshot): string[] {
  const who = sessions.find(({ session_id }) => session_id === event.session_id)?.session_name;
  const time = event.created_at.slice(11, 23);
  return [String(event.version), who ?? '(operator)', event.kind, time, pointersOf(event.patch).join(', ')];
}

function rowOfChild(role: Role, { sessions, completions }: Snapshot): string[] {
  const session = sessions.find(({ session_name }) => session_name === role.name);
  const completion = completions.get(session?.session_id ?? '');
  const attempts = completion?.attempts ?? [];
  return [
    role.name,
    completion?.state_update_status ?? 'none',
    `${attempts.length} of ${completion?.max_attempts ?? 0}`,
    attempts.map(({ outcome }) => outcome).join(', ') || '-',
    EXPECTED[role.manner].told,
  ];
}

function callbacksOf({ callbacks, runs, sessions }: Snapshot, paper: Paper): string {
  const resumes = runs.filter(({ purpose, session_name }) => purpose === 'callback' && session_name === ROOT);
  return callbacks
    .map((callback) => {
      const resume = resumes.findIndex(({ run_id }) => run_id === callback.run_id) + 1;
      const child = sessions.find(({ session_id }) => session_id === callback.child_session_id);
      const head = `${child?.session_name ?? ''}: ${callback.status} with resume ${resume} of ${resumes.length}`;
      const lines = (callback.message ?? '').split('\n').filter((line) => line.trim() !== '');
      const kept = lines.slice(0, CALLBACK_LINES_MAX).map((line) => cut(line, paper.width - 6));
      if (lines.length > kept.length) kept.push(`… ${lines.length - kept.length} more lines`);
      return [`  ${painted(head, 'bold', paper)}`, ...kept.map((line) => `    | ${line}`)].join('\n');
    })
    .join('\n')
    .concat('\n');
}
