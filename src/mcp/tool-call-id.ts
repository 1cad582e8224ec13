// The id that a client gives to a tool call in `_meta`: the same call sent again has it again.
import { hash } from 'node:crypto';
import { isToolCallId } from '../domain/access/actor.js';
import type { KeyedRequest } from '../ports/service.js';

/**
 * Members of `_meta` that clients put it into: Claude Code, Codex, and, for whoever writes a client, ours. No progress
 * token: those begin again with every connection.
 */
const MEMBERS = ['claudecode/toolUseId', 'callId', 'countersign/toolCallId'];

/** @returns The id; `null` where there is none that can be relied on. */
export function toolCallIdOf(meta: unknown): string | null {
  if (typeof meta !== 'object' || meta === null) return null;
  for (const member of MEMBERS) {
    const id: unknown = Object.hasOwn(meta, member) ? Reflect.get(meta, member) : undefined;
    if (typeof id === 'string' && isToolCallId(id)) return id;
  }
  return null;
}

export interface KeyedCall extends KeyedRequest {
  readonly toolCallId: string;
}

/**
 * What stands for a call in the book of receipts. A call that is sent again is the same to the letter; the same id with
 * another tool or other arguments is another call, so that no client can lose one by its way of numbering.
 */
export function keyedCall(toolCallId: string, tool: string, args: unknown): KeyedCall {
  const fingerprint = hash('sha256', JSON.stringify([tool, args ?? null]));
  return { key: `mcp-${hash('sha256', `${toolCallId}\n${fingerprint}`)}`, fingerprint, toolCallId };
}
