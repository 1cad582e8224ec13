// A named agent in the form of its file (schemas/agent-blueprint.json), and the checks that JSON Schema cannot
// express. Pure.
import type { Violation } from '../errors.js';
import type { JsonValue } from '../json/json.js';
import { formatPointer } from '../json/pointer.js';
import { PLACEHOLDERS, placeholdersIn } from './placeholders.js';
import type { ReservedArgument } from './reserved-flags.js';

/** An MCP server that the agent gets in addition to Countersign's own. */
export type McpServer =
  | {
      readonly type: 'stdio';
      readonly command: string;
      readonly args?: readonly string[];
      readonly env?: Readonly<Record<string, string>>;
    }
  | { readonly type: 'http'; readonly url: string; readonly headers?: Readonly<Record<string, string>> };

/** The members of the file, under their names in the file. */
export interface Blueprint {
  readonly description?: string;
  readonly executor: string;
  readonly command?: string;
  readonly args?: readonly string[];
  readonly model?: string;
  readonly system_prompt?: string;
  readonly mcp_servers?: Readonly<Record<string, McpServer>>;
  /** Variables of the runner's environment that placeholders may use. */
  readonly environment?: readonly string[];
  /** Holds its sessions to the workflow at the gate, also in trees that are not on a workflow schema. */
  readonly workflow_gate?: boolean;
  readonly project_dir?: string;
  readonly timeout_ms?: number;
  readonly delivery?: 'resume' | 'pull';
  readonly demands?: { readonly hostname?: string; readonly tags?: readonly string[] };
  readonly completion?: {
    readonly mode?: 'always' | 'unless_satisfied' | 'never';
    readonly contract?: { readonly pointer: string; readonly schema: JsonValue };
    readonly write_scope?: readonly string[];
    readonly await_state?: boolean;
    readonly max_attempts?: number;
    readonly timeout_ms?: number;
    readonly retry_delay_ms?: number;
  };
}

/**
 * Texts become one argument or one variable of a process, partly quoted. Linux takes 128 KiB there, the name of a
 * variable or a setting included.
 */
const ARGUMENT_BYTES_MAX = 120 * 1024;

/** Settings and secrets of the runner, or of the run that started the runner itself. No agent gets them. */
export const RUNNERS_OWN = /^(COUNTERSIGN_|AGENT_SESSION_|AGENT_ROOT_SESSION_ID$|WORKFLOW_STATE_ID$)/;

/**
 * Checks a file that satisfies its JSON Schema. Reports unknown placeholders, secrets in exposed places,
 * variables that an agent may not have, flags that the runner sets, and texts that no process can be started with.
 *
 * @param takenBy - The arguments of an executor that the runner sets itself.
 * @returns One violation for each fault; empty if there is none.
 */
export function faultsOf(
  blueprint: Blueprint,
  takenBy: (executor: string, args: readonly string[]) => readonly ReservedArgument[],
): readonly Violation[] {
  const allowed = blueprint.environment ?? [];
  const own = allowed.flatMap((name, at) =>
    RUNNERS_OWN.test(name) ? [ownVariable(`/environment/${String(at)}`, name)] : [],
  );
  const reserved = takenBy(blueprint.executor, blueprint.args ?? []).map(runnersFlag);
  const strings = stringsIn(blueprint.mcp_servers ?? {}, '/mcp_servers');
  return [
    ...tooLong('/system_prompt', blueprint.system_prompt),
    ...tooLong('/mcp_servers', blueprint.executor === 'command' ? blueprint.mcp_servers : undefined),
    ...own,
    ...reserved,
    ...strings.flatMap(badPlaceholders(allowed)),
    ...strings.flatMap(exposedSecrets),
  ];
}

function tooLong(pointer: string, value: Blueprint['system_prompt'] | Blueprint['mcp_servers']): Violation[] {
  const bytes = value === undefined ? 0 : Buffer.byteLength(JSON.stringify(value));
  if (bytes <= ARGUMENT_BYTES_MAX) return [];
  const message = `has ${String(bytes)} bytes as JSON; no process takes more than ${String(ARGUMENT_BYTES_MAX)} in one argument`;
  return [
    { pointer, keyword: 'maxBytes', message, expected: 'a shorter one, or a file that the agent reads' },
  ];
}

interface Found {
  readonly pointer: string;
  readonly text: string;
}

/** Every string of a value, with its pointer. */
function stringsIn(value: unknown, pointer: string): readonly Found[] {
  if (typeof value === 'string') return [{ pointer, text: value }];
  if (typeof value !== 'object' || value === null) return [];
  const members: [string, unknown][] = Object.entries(value);
  return members.flatMap(([name, one]) => stringsIn(one, pointer + formatPointer([name])));
}

const badPlaceholders =
  (allowed: readonly string[]) =>
  ({ pointer, text }: Found): readonly Violation[] =>
    placeholdersIn(text).flatMap((one): Violation[] => {
      const place = { pointer, keyword: 'placeholder' };
      if (one.kind === 'open') {
        const message = 'opens a placeholder with ${ that is never closed';
        return [{ ...place, message, expected: '${NAME}, or $${ for the characters themselves' }];
      }
      if (one.kind === 'variable' && !allowed.includes(one.name)) {
        const message = `names the variable ${one.name}, which is not listed in /environment`;
        return [{ ...place, message, expected: [...allowed] }];
      }
      if (one.kind === 'unknown') {
        const message = `has the placeholder \${${one.name}}, which nothing stands for`;
        return [
          { ...place, message, expected: [...PLACEHOLDERS.map((name) => `\${${name}}`), '${env:NAME}'] },
        ];
      }
      return [];
    });

/** Members of a server that become arguments of a process. */
const EXPOSED = /^\/mcp_servers\/[^/]*\/(command|args|url)(\/|$)/;

/** Reports secrets in arguments: everyone who may list the processes of the machine can read those. */
function exposedSecrets({ pointer, text }: Found): readonly Violation[] {
  if (!EXPOSED.test(pointer)) return [];
  return placeholdersIn(text).flatMap((one): Violation[] => {
    if (one.kind !== 'variable' && !(one.kind === 'known' && one.name === 'COUNTERSIGN_TOKEN')) return [];
    const written = one.kind === 'variable' ? `env:${one.name}` : one.name;
    const message = `has the placeholder \${${written}} where everybody who may list processes would see its value`;
    return [
      { pointer, keyword: 'placeholder', message, expected: 'the placeholder in env or headers instead' },
    ];
  });
}

function ownVariable(pointer: string, name: string): Violation {
  return {
    pointer,
    keyword: 'environment',
    message: `${name} is the runner's own, or comes with the run`,
    expected: 'a variable of another program, or one of the placeholders',
  };
}

function runnersFlag({ index, flag, instead }: ReservedArgument): Violation {
  return {
    pointer: `/args/${String(index)}`,
    keyword: 'args',
    message: `has ${flag}, which the runner sets itself for every run`,
    expected: instead,
  };
}
