// Formats a failure: for people with a hint, for programs as the members of the problem document.
import { ERRORS, type ErrorCode, type Failure } from '../../domain/errors.js';
import { harmless, jsonText } from './terminal-text.js';

const VALUE_CHARS_MAX = 200;

/** Hints by error code. Codes whose message is sufficient have none. */
const HINTS: Partial<Record<ErrorCode, string>> = {
  invalid_request: 'add --help to see what the command takes',
  unauthorized: 'set COUNTERSIGN_TOKEN, or ask an operator for one (countersign token create)',
  forbidden: 'a token with another role, or the session that owns the state, may do this',
  host_refused: 'call the service by a name that it knows, or start it with --allow-host',
  schema_not_found: 'countersign schema list shows what is registered',
  state_not_found: 'countersign state list shows the states that you may read',
  session_not_found: 'countersign session list shows the sessions that you may read',
  agent_not_found: 'countersign agent list shows the agents that there are',
  agent_broken: 'correct its file; countersign agent list tells when it is right',
  run_not_found: 'countersign run list shows the runs that you may read',
  callback_not_found: 'countersign callback list shows the callbacks that you may read',
  incompatible_schema:
    'change the places above, or register it with --compatibility none; countersign schema diff shows both ways',
  schema_in_use: 'migrate or delete the states that need it, or keep the version',
  validation_failed: 'correct the places above; countersign schema show NAME prints the schema',
  transition_refused: 'read the state (countersign state get) and change only what its schema lets change',
  patch_failed: 'read the state (countersign state get); the patch must fit the document as it is now',
  version_conflict:
    'read the state again (countersign state get), redo the change on it, and name its version',
  merge_conflict:
    'read the state again (countersign state get), decide what should stand there, and write only that',
  base_unknown: 'read the state first (countersign state get), or name the version that you read (--base N)',
  write_scope_violation: 'write only below the pointers that are allowed',
  state_required:
    'create the state first (countersign state create --schema <name> --root-session <session>), or add --await-state',
  contract_impossible:
    'name a place and values that the workflow schema and the write scope allow (countersign schema show)',
  write_scope_impossible: 'name places that the workflow schema has (countersign schema show)',
  condition_impossible: 'name a place and values that the workflow schema has (countersign schema show)',
  version_compacted: 'countersign state log shows the versions that are kept',
  version_not_found: 'countersign state log shows the versions of the state',
  session_busy: 'try again when its run has ended (countersign run list --session NAME)',
  session_exists: 'choose another name, or resume the session (countersign session resume)',
  state_exists: 'write to the state that the tree has (countersign state set)',
  overloaded: 'try again in a moment',
  internal: 'the log of the service says more',
};

/** For a callback without a parent to call. */
const CALLED_BACK =
  'name the parent (--parent), or call it within a run of the parent, whose COUNTERSIGN_TOKEN or AGENT_SESSION_NAME says who is asking';

/** Members that are printed in another way, or are too long to print. */
const NOT_PRINTED = new Set(['errors', 'conflicts', 'differences', 'current_data']);

/** Lines for a terminal: title, detail, each violation, hint. */
export function failureText({ error, detail, members }: Failure): string {
  const lines = [`error: ${ERRORS[error].title} (${error})`];
  const errors = listed(members['errors']);
  if (detail !== '' && !isHeadline(detail, errors[0])) lines.push(`  ${detail}`);
  lines.push(
    ...errors.map(violationLine),
    ...listed(members['conflicts']).map(conflictLine),
    ...listed(members['differences']).map(differenceLine),
  );
  for (const [name, value] of Object.entries(members)) {
    if (name === 'request_id' && error !== 'internal') continue; // only useful together with the log
    if (!NOT_PRINTED.has(name)) lines.push(`  ${name}: ${valueText(value)}`);
  }
  const hint =
    error === 'invalid_request' && membersOf(errors[0])['pointer'] === '/callback'
      ? CALLED_BACK
      : HINTS[error];
  if (hint !== undefined) lines.push(`hint: ${hint}`);
  return lines.map((line) => `${harmless(line)}\n`).join('');
}

/** The failure as JSON for a program. */
export function failureJson({ error, detail, members }: Failure): string {
  const { title, retryable } = ERRORS[error];
  return `${jsonText({ error, title, detail, retryable, ...members })}\n`;
}

function listed(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** True if the detail only repeats the first violation. */
function isHeadline(detail: string, violation: unknown): boolean {
  const { pointer, message } = membersOf(violation);
  return message !== undefined && detail.startsWith(`${valueText(pointer)}: ${valueText(message)}`);
}

function violationLine(violation: unknown): string {
  const { pointer, message, expected } = membersOf(violation);
  const location = pointer === '' ? '(the whole document)' : valueText(pointer);
  const expectation = expected === undefined || expected === null ? '' : ` (expected ${valueText(expected)})`;
  return `  ${location}: ${valueText(message)}${expectation}`;
}

function conflictLine(conflict: unknown): string {
  const { pointer, theirs, yours } = membersOf(conflict);
  return `  ${valueText(pointer)}: theirs ${valueText(theirs)}, yours ${valueText(yours)}`;
}

function differenceLine(difference: unknown): string {
  const { direction, version, pointer, message } = membersOf(difference);
  const location = pointer === '' ? '(the top)' : valueText(pointer);
  return `  ${valueText(direction)} ${valueText(version)}: ${location}: ${valueText(message)}`;
}

function membersOf(value: unknown): Readonly<Partial<Record<string, unknown>>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function valueText(value: unknown): string {
  const text = Array.isArray(value) ? listed(value).map(valueText).join(', ') : plainText(value);
  return text.length > VALUE_CHARS_MAX ? `${text.slice(0, VALUE_CHARS_MAX)}…` : text;
}

function plainText(value: unknown): string {
  if (value === undefined) return '-';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
