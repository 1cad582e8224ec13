// Answers to requests with an idempotency key, as they are kept: what is large is had again from the history of its
// state, so that keeping an answer does not copy a document. Knows nothing of keys or of who asks.
import { accepted, refused, type Outcome } from '../../domain/errors.js';
import type { JsonValue } from '../../domain/json/json.js';
import type { Countersign } from '../../ports/service.js';
import { jsonReply, type Reply } from './reply.js';

/** Its body holds `null` where the value belongs that the history has. */
type Hollow = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, JsonValue>>;
  readonly member: string;
  readonly stateId: string;
  readonly version: number;
  readonly pointer: string;
};

export type KeptAnswer =
  | {
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly text: string | null;
    }
  | Hollow
  /** Nothing is kept but that there was an answer: it is made anew. */
  | { readonly anew: true };

/**
 * @param bytesMax - An answer up to this size is kept as it is.
 * @param dryRun - What has no effect may be carried out again.
 */
export function keptAnswer(reply: Reply, bytesMax: number, dryRun: boolean): KeptAnswer {
  const { status, headers, text, inHistory } = reply;
  if (text === null || Buffer.byteLength(text) <= bytesMax) return { status, headers, text };
  if (dryRun) return { anew: true };
  if (inHistory === undefined) return { status, headers, text };
  const { body, member, stateId, version, pointer } = inHistory;
  // Parsing: answers are JSON. Without the value they are small.
  const hollow = JSON.parse(JSON.stringify({ ...body, [member]: null })) as Hollow['body'];
  return { status, headers, body: hollow, member, stateId, version, pointer };
}

/**
 * The answer as it was given the first time.
 *
 * @param anew - Carries the request out again.
 * @returns The answer; or, where the history has the value no more, `version_compacted` or `state_not_found`.
 */
export async function keptReply(
  kept: KeptAnswer,
  service: Countersign,
  anew: () => Promise<Outcome<Reply>>,
): Promise<Outcome<Reply>> {
  if ('anew' in kept) return anew();
  if ('text' in kept) return accepted(kept);
  const { status, headers, body, member, stateId, version, pointer } = kept;
  const found = await service.states.getAt(stateId, pointer, version);
  if (found.ok) return accepted(jsonReply(status, { ...body, [member]: found.value.value }, headers));
  const { error, detail, members } = found.refusal;
  const before = `The request was carried out before, and left version ${String(version)} of the state. `;
  return refused(error, `${before}Its answer cannot be given again: ${detail}`, members);
}
