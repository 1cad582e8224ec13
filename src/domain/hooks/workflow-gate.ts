// The last checks before a tool is used: the mode of the workflow, and whether its start protocol is done. They apply to a
// tree on a workflow schema, and to agents whose files ask for them.
import { DISABLED, modeOf, wayToModes, type Mode } from '../workflow/modes.js';
import type { JsonObject } from '../json/json.js';
import { textMember } from '../json/members.js';
import type { HookResult } from './result.js';
import { denied } from './denied.js';
import type { PreToolUseEvent } from './event.js';

export interface WorkflowFacts {
  readonly document: JsonObject;
  /** The modes that the schema or the folder of agents defines; empty if none are. Or why they cannot be known. */
  readonly modes: readonly Mode[] | { readonly fault: string };
  /** True if the state is on a workflow schema. Only there is it checked who enters the mode `disabled`. */
  readonly isWorkflow: boolean;
}

const NEXT_SHOWN_MAX = 10;

/** Checks in this order: the mode `disabled`, the start protocol, the tools of the mode. */
export function workflowDecision(event: PreToolUseEvent, facts: WorkflowFacts): HookResult {
  const { tool } = event;
  const { document, modes, isWorkflow } = facts;
  if (textMember(document, 'current_mode') === DISABLED && isWorkflow)
    return { verdict: 'allow', text: null };
  if (document['protocol_start_complete'] !== true) {
    return denied(
      tool,
      'the start protocol of this workflow is not done',
      'Do its steps with tools that read, then record what shows it: the tool workflow_record (record evidence, value start, complete true), or: countersign workflow evidence --protocol start --item "STEP=WHAT SHOWS IT" --complete. A session that may not write it asks its root.',
    );
  }
  if ('fault' in modes) {
    return denied(tool, `the modes of this workflow cannot be known: ${modes.fault}`, 'Tell the operator.');
  }
  if (modes.length === 0) return { verdict: 'allow', text: null };
  const name = modeOf(document, modes);
  const mode = modes.find((one) => one.name === name);
  if (mode === undefined) {
    const text = `the mode ${name} of this workflow is not defined`;
    return denied(
      tool,
      text,
      enterOneWith(modes, name, () => true),
    );
  }
  const has = (one: Mode) => hasTool(one, event);
  if (has(mode)) return { verdict: 'allow', text: null };
  return denied(tool, `the mode ${name} of this workflow does not have it`, enterOneWith(modes, name, has));
}

/** A client that the mode does not name has none of its tools. */
function hasTool({ tools }: Mode, { client, tool }: PreToolUseEvent): boolean {
  return tools === null || (tools[client.name] ?? []).some((named) => covers(named, tool));
}

function covers(named: string, tool: string): boolean {
  return named.endsWith('*') ? tool.startsWith(named.slice(0, -1)) : named === tool;
}

/** How to get to a mode that has the tool: by the modes that may follow. */
function enterOneWith(modes: readonly Mode[], from: string, has: (mode: Mode) => boolean): string {
  const way = wayToModes(modes, from, has);
  if (way === null) {
    return `No mode ${modes.some(has) ? 'that can be entered from here ' : ''}has it: go on without it.`;
  }
  const [first, found] = [way.first, way.found].map((names) => names.slice(0, NEXT_SHOWN_MAX).join(', '));
  const enter =
    first === found
      ? `enter one that has it (${first})`
      : `enter ${first} first, on the way to one that has it (${found})`;
  return `Work with the tools of the mode, or ${enter}: the tool workflow_record (record mode), or: countersign workflow mode --set MODE.`;
}
