// The id that a client gives a tool call in `_meta`. A repeated call has the same id.
import { hash } from 'node:crypto';
import { AGENT_CLIENTS } from '../agent-clients/index.js';
import { isToolCallId } from '../domain/access/actor.js';
import type { KeyedRequest } from '../ports/host.js';

/**
 * Members of `_meta` with the id: those of the known clients, and one for others. The progress token is not used,
 * because its numbers start again with every connection.
 */
const MEMBERS = [
  ...AGENT_CLIENTS.flatMap(({ conversation }) => conversation.toolCallMember ?? []),
  'countersign/toolCallId',
];

/** @returns The id; `null` if there is none that is reliable. */
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
 * The idempotency key of a call. A repeated call is identical to the letter. The same id with another tool or
 * other arguments counts as another call, so no call is lost if a client reuses ids.
 */
export function keyedCall(toolCallId: string, tool: string, args: unknown): KeyedCall {
  const fingerprint = hash('sha256', JSON.stringify([tool, args ?? null]));
  return { key: `mcp-${hash('sha256', `${toolCallId}\n${fingerprint}`)}`, fingerprint, toolCallId };
}
