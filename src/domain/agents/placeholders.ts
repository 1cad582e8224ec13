// Placeholders in the settings of an agent: `${NAME}` for a fact of the run, `${env:NAME}` for a variable of
// the runner's environment, `$${` for the literal characters `${`. Pure.

/** Facts of a run. `WORKFLOW_STATE_ID` is empty if the tree has no state. */
export const PLACEHOLDERS = [
  'AGENT_SESSION_ID',
  'AGENT_SESSION_NAME',
  'AGENT_ROOT_SESSION_ID',
  'WORKFLOW_STATE_ID',
  'COUNTERSIGN_URL',
  'COUNTERSIGN_TOKEN',
  'COUNTERSIGN_RUN_ID',
  'PROJECT_DIR',
] as const;

/** open: a `${` without its end. variable: `${env:NAME}`. */
export type Placeholder =
  { readonly kind: 'known' | 'variable' | 'unknown'; readonly name: string } | { readonly kind: 'open' };

const VARIABLE = /^env:([A-Za-z_][A-Za-z0-9_]*)$/;
const MARKS = /\$\$\{|\$\{([^}]*)\}|\$\{/g;

/** The placeholders of a text, in order. */
export function placeholdersIn(text: string): readonly Placeholder[] {
  return [...text.matchAll(MARKS)].flatMap(([mark, inner]) => (mark === '$${' ? [] : [meant(inner)]));
}

/**
 * Replaces all placeholders of a text.
 *
 * @param valueOf - Returns the value of a placeholder, or `null` if it has none.
 * @returns The text; or the first placeholder without a value, as it is written.
 */
export function filledIn(
  text: string,
  valueOf: (placeholder: Placeholder) => string | null,
): { readonly text: string } | { readonly missing: string } {
  const missing: string[] = [];
  const filled = text.replaceAll(MARKS, (mark: string, inner: string | undefined) => {
    if (mark === '$${') return '${';
    const value = valueOf(meant(inner));
    if (value === null) missing.push(mark);
    return value ?? '';
  });
  const [first] = missing;
  return first === undefined ? { text: filled } : { missing: first };
}

function meant(inner: string | undefined): Placeholder {
  if (inner === undefined) return { kind: 'open' };
  const [, variable] = VARIABLE.exec(inner) ?? [];
  if (variable !== undefined) return { kind: 'variable', name: variable };
  return { kind: PLACEHOLDERS.some((one) => one === inner) ? 'known' : 'unknown', name: inner };
}
