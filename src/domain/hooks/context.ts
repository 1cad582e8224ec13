// The context that a session gets when it begins, and the variables that identify it to its commands. The
// prompts of state updates are in completion/prompts.ts.
import { boundedJson } from '../excerpt.js';
import { framed } from '../framing.js';
import type { Contract, Session } from '../records/records.js';
import { shellQuoted } from '../shell.js';

const SCHEMA_CHARACTERS_MAX = 4096;
const SCOPE_CHARACTERS_MAX = 1024;

/** The facts of a session for its context and its commands. */
export interface SessionFacts {
  readonly session: Session;
  /** `null` if the tree has no workflow state yet. */
  readonly stateId: string | null;
  readonly contract: Contract | null;
  readonly writeScope: readonly string[] | null;
  /** URL of the service for the session. */
  readonly url: string;
}

/** Variables that identify the session. */
export function identityOf({ session, stateId, url }: SessionFacts): Readonly<Record<string, string>> {
  return {
    AGENT_SESSION_ID: session.sessionId,
    AGENT_SESSION_NAME: session.sessionName,
    AGENT_ROOT_SESSION_ID: session.rootSessionId,
    ...(stateId === null ? {} : { WORKFLOW_STATE_ID: stateId }),
    COUNTERSIGN_URL: url,
  };
}

/**
 * The context of a session that begins, framed so that a model does not read it as a message of its user.
 *
 * @param workflow - Lines on the workflow of its tree.
 */
export function sessionContext(standing: SessionFacts, workflow: readonly string[]): string {
  const { session } = standing;
  const body = [
    whoItIs(standing),
    ...identityLines(standing),
    ...(standing.stateId === null ? withoutState(standing) : withState(standing)),
    ...workflow,
    ...(session.delivery === 'pull'
      ? [
          'Children that you start with a callback report to you when their results are recorded: end your turn, and you are told then.',
          'The MCP tools speak for this session where their server is countersign mcp, or the client was started with AGENT_SESSION_NAME; where a tool says that nobody calls it, use commands: countersign session start --callback --prompt "…".',
        ]
      : []),
  ];
  return framed('countersign-session', { session: session.sessionName }, body.join('\n'));
}

/** A prompt together with the variables that commands need, for a session whose environment may lack them. */
export function withIdentity(standing: SessionFacts, prompt: string): string {
  return [...identityLines(standing), prompt].join('\n');
}

function identityLines(standing: SessionFacts): string[] {
  const variables = Object.entries(identityOf(standing)).map(
    ([name, value]) => `${name}=${shellQuoted(value)}`,
  );
  return [
    'Where your environment does not have them, put these in front of commands that speak for this session:',
    variables.join(' '),
  ];
}

function whoItIs({ session }: SessionFacts): string {
  if (session.parentSessionId === null) {
    return `This session takes part in Countersign as ${session.sessionName}, the root of its tree.`;
  }
  const parent = session.parentSessionName ?? session.parentSessionId;
  return `This session takes part in Countersign as ${session.sessionName}, a child of ${parent}.`;
}

function withoutState({ session }: SessionFacts): string[] {
  if (session.parentSessionId !== null) return ['Its tree has no workflow state yet.'];
  return [
    "Its tree has no workflow state yet. To share one with children: the tool state_create, or: countersign state create --schema NAME --data '{…}' --root-session " +
      session.sessionName,
  ];
}

function withState({ session, stateId, contract, writeScope }: SessionFacts): string[] {
  const lines = [
    `The workflow state ${stateId ?? ''} is shared by its whole tree. Read it: the tool state_read, or: countersign state get ${stateId ?? ''}. Write it: the tool state_patch, or: countersign state patch ${stateId ?? ''} '[…]'.`,
  ];
  if (session.parentSessionId === null) return lines;
  lines.push(
    'Before you end your work, record its result in the state: only what stands there counts, and until it does you are asked for it.',
  );
  if (contract !== null) {
    const where = contract.pointer === '' ? 'The whole document' : `The value at ${contract.pointer}`;
    lines.push(
      `${where} has to satisfy this JSON Schema: ${boundedJson(contract.schema, SCHEMA_CHARACTERS_MAX)}`,
    );
  }
  if (writeScope !== null) {
    const locations = writeScope.length === 0 ? '(nowhere)' : writeScope.join(', ');
    lines.push(`You may write only at or under: ${locations.slice(0, SCOPE_CHARACTERS_MAX)}`);
  }
  return lines;
}
