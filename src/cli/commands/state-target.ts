// Which state a command means, and which document: within a run the environment names the state.
import type { CommandInput } from '../command.js';
import { looksLikeDocument } from '../document.js';
import { UsageError } from '../usage-error.js';

/** Said at the end of the help of commands that take a state. */
export const OF_RUN = 'Within a run, WORKFLOW_STATE_ID names the state.';

const NO_STATE = 'No state is named: give its id, or set WORKFLOW_STATE_ID';

/** @throws UsageError Where neither the arguments nor the environment name a state. */
export function stateOf({ optionalArg, io }: CommandInput): string {
  const stateId = optionalArg(0) ?? stateOfRun(io.env);
  if (stateId === undefined) throw new UsageError(NO_STATE);
  return stateId;
}

/**
 * Tells a state and a document apart: where there is one argument, it is the document.
 *
 * @throws UsageError Where one of them is missing.
 */
export async function stateAndDocument({
  optionalArg,
  io,
}: CommandInput): Promise<{ stateId: string; document: string }> {
  const [first, second] = [optionalArg(0), optionalArg(1)];
  if (first !== undefined && second !== undefined) return { stateId: first, document: second };
  if (first === undefined)
    throw new UsageError('No document is given: a file, - for standard input, or JSON');
  if (!(await looksLikeDocument(first))) {
    throw new UsageError(
      `'${first}' is neither a file nor JSON; after the id of a state, give the document: a file, - for standard input, or JSON`,
    );
  }
  const stateId = stateOfRun(io.env);
  if (stateId === undefined) throw new UsageError(NO_STATE);
  return { stateId, document: first };
}

function stateOfRun(env: Readonly<Record<string, string | undefined>>): string | undefined {
  const stateId = env['WORKFLOW_STATE_ID'];
  return stateId === '' ? undefined : stateId;
}
