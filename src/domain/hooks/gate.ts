// The check before a tool is used. It fails closed: a tool that does more than read is allowed only if the
// session's workflow state is readable. Callers that cannot reach the service produce the same texts with
// `unansweredDecision`.
import { plainWords } from '../shell.js';
import type { HookResult } from './result.js';
import { denied } from './denied.js';
import type { PreToolUseEvent } from './event.js';
import { workflowDecision, type WorkflowFacts } from './workflow-gate.js';

/** Calls of our own CLI that create what the gate requires, record in the workflow record, or only read. */
const OWN_COMMANDS: Readonly<Record<string, RegExp>> = {
  schema: /^(register|list|show)$/,
  state: /^(create|get|list|log|diff)$/,
  session: /^(list|show|tree|completion|result)$/,
  workflow: /^[a-z]+$/,
};

/** Flags that send such a call elsewhere. The last one is of Node, which takes it from any place of a command line. */
const ELSEWHERE = /^--(url|db|env-file)/;

/** True for a single call of our own CLI that goes to the coordinator of its environment. */
function isOwnCommand(command: string): boolean {
  const [program, name = '', verb = '', ...args] = plainWords(command) ?? [];
  if (program !== 'countersign' || [verb, ...args].some((word) => ELSEWHERE.test(word))) return false;
  return name === 'doctor' || (Object.hasOwn(OWN_COMMANDS, name) && OWN_COMMANDS[name]?.test(verb) === true);
}

/** True for tools that are allowed without a request to the service. */
export function passesUnasked({ client, tool, command }: PreToolUseEvent): boolean {
  const { readOnly, own, shell } = client.tools;
  if (readOnly.includes(tool) || own.test(tool)) return true;
  return tool === shell && command !== null && isOwnCommand(command);
}

/** What the service knows about the session that wants to use a tool. */
export interface GateFacts {
  /** `null` if the client's session is not registered. */
  readonly session: { readonly name: string; readonly stopped: boolean } | null;
  /** Whether the tree's workflow state could be read; `tampered` if it is not as the service wrote it. */
  readonly state: 'read' | 'none' | 'unreadable' | 'tampered';
  /** `null` if neither the tree nor the agent is held to the workflow. */
  readonly workflow: WorkflowFacts | null;
}

/**
 * Checks in this order: session, stop, history, state, and those of the workflow.
 *
 * @returns `allow`; or `deny` with the reason and what to do.
 */
export function gateDecision(event: PreToolUseEvent, { session, state, workflow }: GateFacts): HookResult {
  if (passesUnasked(event)) return { verdict: 'allow', text: null };
  if (session === null) {
    return denied(
      event.tool,
      'this session is not registered with Countersign',
      'Start or resume the session while the coordinator is running (its session-start hook registers it), or name a registered one in AGENT_SESSION_NAME.',
    );
  }
  if (session.stopped) {
    return denied(
      event.tool,
      `the session ${session.name} was stopped by an operator`,
      'End your turn and say so. Whoever stopped it can let a resume of the session begin new work.',
    );
  }
  if (state === 'tampered') {
    return denied(
      event.tool,
      'the history of the workflow state fails verification: it is not as Countersign wrote it',
      'Write nothing. Have the operator look at it: countersign verify.',
    );
  }
  if (state === 'none') {
    return denied(
      event.tool,
      'the tree of this session has no workflow state',
      "Open one first: the tool state_create, or: countersign state create --schema NAME --data '{…}'.",
    );
  }
  if (state === 'unreadable') {
    return denied(
      event.tool,
      'the workflow state cannot be read',
      'Have the operator look at it: countersign doctor.',
    );
  }
  return workflow === null ? { verdict: 'allow', text: null } : workflowDecision(event, workflow);
}

/** The result if the service did not answer, or sent an answer that cannot be parsed. */
export function unansweredDecision(event: PreToolUseEvent, why: string): HookResult {
  if (passesUnasked(event)) return { verdict: 'allow', text: null };
  return denied(
    event.tool,
    `Countersign did not say whether it may be used: ${why}`,
    'Start the coordinator (countersign serve), or say where it is (COUNTERSIGN_URL), and try again.',
  );
}
