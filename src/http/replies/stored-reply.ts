// Stored answers of requests with an idempotency key. A large value is left out and read again from the history
// of its state, so that storing an answer does not copy a document. Knows nothing of keys or callers.
import { ok, fail, type Result } from '../../domain/errors.js';
import { isJsonObject, type JsonValue } from '../../domain/json/json.js';
import type { Countersign } from '../../ports/service.js';
import { jsonReply, type Reply } from './reply.js';

/** A stored answer whose body has `null` in place of the value that the history has. */
type WithoutValue = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, JsonValue>>;
  readonly member: string;
  readonly stateId: string;
  readonly version: number;
  readonly pointer: string;
};

type StoredReply =
  | {
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly text: string | null;
    }
  | WithoutValue
  /** Stores only that there was an answer; the request runs again. */
  | { readonly anew: true };

/**
 * @param bytesMax - Answers up to this size are stored whole.
 * @param dryRun - A request without effects, which may run again.
 */
export function storedReply(reply: Reply, bytesMax: number, dryRun: boolean): StoredReply {
  const { status, headers, text, inHistory, provisional = false } = reply;
  if (provisional) return { anew: true };
  if (text === null || Buffer.byteLength(text) <= bytesMax) return { status, headers, text };
  if (dryRun) return { anew: true };
  if (inHistory === undefined) return { status, headers, text };
  const { body, member, stateId, version, pointer } = inHistory;
  // Parsing: answers are JSON. Without the value they are small.
  const hollow = JSON.parse(JSON.stringify({ ...body, [member]: null })) as WithoutValue['body'];
  return { status, headers, body: hollow, member, stateId, version, pointer };
}

/** True for what `storedReply` returns. */
export function isStoredReply(value: JsonValue): boolean {
  if (!isJsonObject(value)) return false;
  const { anew, status, headers, text, body, member, stateId, version, pointer } = value;
  if (anew === true) return true;
  if (!Number.isInteger(status) || !isJsonObject(headers)) return false;
  if (Object.values(headers).some((one) => typeof one !== 'string')) return false;
  if (text !== undefined) return text === null || typeof text === 'string';
  const texts = [member, stateId, pointer];
  return isJsonObject(body) && Number.isInteger(version) && texts.every((one) => typeof one === 'string');
}

/**
 * The same answer as the first time.
 *
 * @param anew - Runs the request again.
 * @returns The answer; or `version_compacted` or `state_not_found` if the history no longer has the value.
 */
export async function replyOfStored(
  stored: StoredReply,
  service: Countersign,
  anew: () => Promise<Result<Reply>>,
): Promise<Result<Reply>> {
  if ('anew' in stored) return anew();
  if ('text' in stored) return ok(stored);
  const { status, headers, body, member, stateId, version, pointer } = stored;
  const found = await service.states.getAt(stateId, pointer, version);
  if (found.ok) return ok(jsonReply(status, { ...body, [member]: found.value.value }, headers));
  const { error, detail, members } = found.failure;
  const before = `The request was carried out before, and left version ${String(version)} of the state. `;
  return fail(error, `${before}Its answer cannot be given again: ${detail}`, members);
}
