// What a tool of the MCP door is: a table entry with flat schemas, and its work on the service. Knows no transport.
import type { ToolAnnotations } from '@modelcontextprotocol/server';
import type { Static, TObject, TSchema } from 'typebox';
import type { Outcome } from '../domain/errors.js';
import type { JsonObject } from '../domain/json/json.js';
import type { Limits } from '../domain/limits.js';
import type { Countersign } from '../ports/service.js';
import { checkArguments } from './arguments.js';
import type { Progress } from './progress.js';

/** Who calls, as far as the door knows: the service decides. */
export interface McpCaller {
  /** Id or name of the calling session; `null` for an operator, a token, or where only the service can tell. */
  readonly session: string | null;
  /** The state that is meant where a call names none. It only says which one: it opens nothing. */
  readonly stateId: string | null;
}

/** What a tool works with. */
export interface ToolCall {
  readonly service: Countersign;
  readonly caller: McpCaller;
  readonly limits: Limits;
  /** Ends when the caller gives up. */
  readonly signal: AbortSignal;
  /** Tells the caller how a wait goes on. */
  readonly progress: Progress;
}

/** The structured content of an answer. */
export type Answer = Readonly<Record<string, unknown>>;

interface Description {
  readonly name: string;
  /** Its first sentence says when to use the tool. */
  readonly description: string;
  readonly output: TSchema;
  readonly annotations: ToolAnnotations;
  /** Arguments that are right, for whoever got them wrong. */
  readonly example: JsonObject;
}

/** A tool that takes arguments as they came. */
export interface Tool extends Description {
  readonly input: TObject;
  /** @returns The structured content; or `invalid_request` for the arguments, or what the service refuses. */
  readonly run: (args: unknown, call: ToolCall) => Promise<Outcome<Answer>>;
}

/** Makes a tool of its entry: the arguments are checked before its work sees them. */
export function tool<I extends TObject>(
  spec: Description & {
    readonly input: I;
    readonly run: (args: Static<I>, call: ToolCall) => Promise<Outcome<Answer>>;
  },
): Tool {
  return {
    ...spec,
    run: async (args, call) => {
      const checked = checkArguments(spec.input, args);
      return checked.ok ? spec.run(checked.value, call) : checked;
    },
  };
}

/** Looks only. */
export const READS: ToolAnnotations = { readOnlyHint: true };
/** Adds something; a second call adds another. */
export const ADDS: ToolAnnotations = { destructiveHint: false };
/** Changes or removes what is there; the same call again changes nothing more. */
export const REPLACES: ToolAnnotations = { idempotentHint: true };
/** Changes or removes what is there; the same call again may change more. */
export const CHANGES: ToolAnnotations = { destructiveHint: true };
