// Finds the state and the document that a command is about. Within a run, the environment names the state or the
// session.
import type { Failure } from '../../../domain/errors.js';
import { nonEmpty } from '../../flag.js';
import type { CommandInput } from '../../command.js';
import type { ClientInput } from '../../client-command.js';
import { looksLikeDocument } from '../../files/document.js';
import { RefusedError } from '../../refused-error.js';
import { UsageError } from '../../usage-error.js';

/** Closing note in the help of commands that take a state. */
export const OF_RUN =
  "Within a run, WORKFLOW_STATE_ID names the state. Without it, it is that of the session's tree (AGENT_SESSION_ID, AGENT_SESSION_NAME).";

const NO_STATE = 'No state is named: give its id, or set WORKFLOW_STATE_ID';

type Input = CommandInput & Pick<ClientInput, 'client'>;

/**
 * @throws UsageError If neither arguments nor environment name a state, or a session whose tree has one.
 * @throws RefusedError If the service refuses to read the session.
 */
export async function stateOf(input: Input): Promise<string> {
  return input.optionalArg(0) ?? (await stateOfRun(input));
}

/**
 * Splits the arguments into state and document. A single argument is the document.
 *
 * @throws UsageError If one of them is missing.
 * @throws RefusedError As `stateOf` does.
 */
export async function stateAndDocument(input: Input): Promise<{ stateId: string; document: string }> {
  const { optionalArg } = input;
  const [first, second] = [optionalArg(0), optionalArg(1)];
  if (first !== undefined && second !== undefined) return { stateId: first, document: second };
  if (first === undefined)
    throw new UsageError('No document is given: a file, - for standard input, or JSON');
  if (!(await looksLikeDocument(first))) {
    throw new UsageError(
      `'${first}' is neither a file nor JSON; after the id of a state, give the document: a file, - for standard input, or JSON`,
    );
  }
  return { stateId: await stateOfRun(input), document: first };
}

/**
 * Finds the state through the session, because no variable names a state that was created after the session
 * began. Reads the session, not the state: reading the state would move the session's read cursor, on which its
 * writes are merged.
 */
async function stateOfRun({ io: { env }, client }: Input): Promise<string> {
  const named = nonEmpty(env['WORKFLOW_STATE_ID']);
  if (named !== undefined) return named;
  const caller = nonEmpty(env['AGENT_SESSION_ID']) ?? nonEmpty(env['AGENT_SESSION_NAME']);
  if (caller === undefined) throw new UsageError(NO_STATE);
  const session = await client.sessions.get(caller);
  if (!session.ok) throw new RefusedError(withReason(session.failure));
  const { workflow_state_id: own, session_name: name } = session.value;
  if (own === null) throw new UsageError(`${NO_STATE}. The tree of the session ${name} has no state yet`);
  return own;
}

/** Says why the session was asked for, where the session is what is wrong. */
function withReason(failure: Failure): Failure {
  if (failure.error !== 'session_not_found') return failure;
  return { ...failure, detail: `${NO_STATE}. Of the session: ${failure.detail}` };
}
