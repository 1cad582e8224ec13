// The type of an MCP tool: a table entry with flat schemas, and its work on the service. Knows no transport.
import type { ToolAnnotations } from '@modelcontextprotocol/server';
import type { Static, TObject, TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import type { Result } from '../domain/errors.js';
import type { JsonObject, JsonValue } from '../domain/json/json.js';
import type { Limits } from '../domain/limits.js';
import type { Waiting } from '../ports/mcp-transport.js';
import type { Countersign } from '../ports/service.js';
import { formsOf } from './argument-forms.js';
import { checkArguments } from './arguments.js';
import type { Progress } from './progress.js';

/** The caller as the transport knows it; the service decides what it may do. */
export interface McpCaller {
  /** Id or name of the calling session; `null` for an operator, a token, or if only the service can tell. */
  readonly session: string | null;
  /** True if no session is behind the calls, so that none can have read a version. */
  readonly isNoSession?: boolean;
  /** The state of calls that name none. It only selects a state: it grants no access. */
  readonly stateId: string | null;
}

/** The input of a tool. */
export interface ToolCall {
  readonly service: Countersign;
  readonly caller: McpCaller;
  readonly limits: Limits;
  readonly waiting: Waiting;
  /** Reports the progress of a wait to the caller. */
  readonly progress: Progress;
}

/** The structured content of a tool's result. */
export type ToolOutput = Readonly<Record<string, unknown>>;

interface Description {
  readonly name: string;
  /** Its first sentence says when to use the tool. */
  readonly description: string;
  readonly output: TSchema;
  readonly annotations: ToolAnnotations;
  /** True for arguments with which the tool waits for others. Absent: it never does. */
  readonly waits?: (args: JsonValue | undefined) => boolean;
  /** Valid arguments, shown after invalid ones. */
  readonly example: JsonObject;
}

/** A tool that accepts unvalidated arguments. */
export interface Tool extends Description {
  readonly input: TObject;
  /** @returns The structured content; or `invalid_request` for the arguments, or the failure of the service. */
  readonly run: (args: unknown, call: ToolCall) => Promise<Result<ToolOutput>>;
  /**
   * Waits for what `run` has started. It is no part of what takes effect once: a repeated call waits, too.
   *
   * @param done - The answer of `run`, or its replay.
   */
  readonly wait?: (args: unknown, done: ToolOutput, call: ToolCall) => Promise<Result<ToolOutput>>;
}

/** Creates a tool from its entry. The arguments are validated before `spec.run` gets them. */
export function tool<I extends TObject>(
  spec: Description & {
    readonly input: I;
    readonly run: (args: Static<I>, call: ToolCall) => Promise<Result<ToolOutput>>;
    readonly wait?: (args: Static<I>, done: ToolOutput, call: ToolCall) => Promise<Result<ToolOutput>>;
  },
): Tool {
  const validator = Compile(spec.input);
  const forms = Compile(formsOf(spec.input));
  const { run, wait, ...description } = spec;
  const checkedBy = async (args: unknown, work: (args: Static<I>) => Promise<Result<ToolOutput>>) => {
    const checked = checkArguments(validator, args);
    if (!checked.ok) return checked;
    const formed = checkArguments(forms, args);
    return formed.ok ? work(checked.value) : formed;
  };
  return {
    ...description,
    run: (args, call) => checkedBy(args, (valid) => run(valid, call)),
    ...(wait === undefined
      ? {}
      : { wait: (args, done, call) => checkedBy(args, (valid) => wait(valid, done, call)) }),
  };
}

/** Only reads. */
export const READS: ToolAnnotations = { readOnlyHint: true };
/** Adds something; a second call adds another. */
export const ADDS: ToolAnnotations = { destructiveHint: false };
/** Changes or removes something; the same call again has no further effect. */
export const REPLACES: ToolAnnotations = { idempotentHint: true };
/** Changes or removes something; the same call again may change more. */
export const CHANGES: ToolAnnotations = { destructiveHint: true };
