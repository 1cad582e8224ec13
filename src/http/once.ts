// Requests with an `Idempotency-Key`: the fingerprint of a request, and the replay of its stored answer.
import { hash } from 'node:crypto';
import type { Actor } from '../domain/access/actor.js';
import { ok, invalidMember, type Result } from '../domain/errors.js';
import type { Countersign } from '../ports/service.js';
import type { MaybePromise } from '../lib/maybe-promise.js';
import type { RequestContext } from './requests/request-context.js';
import { isStoredReply, storedReply, replyOfStored } from './replies/stored-reply.js';
import type { Reply } from './replies/reply.js';

const KEY = /^[\x21-\x7e][\x20-\x7e]{0,254}$/;

/** The key of a request that changes something; `null` if it has none. */
export function keyOf(context: RequestContext): string | null {
  const { method } = context;
  return method === 'GET' || method === 'HEAD' ? null : context.header('idempotency-key');
}

function fingerprintOf(context: RequestContext, body: Buffer): string {
  const { method, path, inbound } = context;
  const type = context.header('content-type') ?? '';
  const expected = context.header('if-match') ?? '';
  const facts = [method, path, inbound.search ?? '', type, expected, hash('sha256', body)];
  const known = context.header('if-none-match');
  if (known !== null) facts.push(known);
  return hash('sha256', facts.join('\n'));
}

/** Runs a request once. A repeated request gets the stored answer, marked with `Idempotency-Replayed`. */
export async function once(
  context: RequestContext,
  actor: Actor,
  key: string,
  body: Buffer,
  work: (service: Countersign) => MaybePromise<Result<Reply>>,
): Promise<Result<Reply>> {
  if (!KEY.test(key)) {
    return invalidMember(
      '/headers/idempotency-key',
      'must be 1 to 255 printable ASCII characters',
      'a key that is new for each request, such as a UUID',
    );
  }
  const request = { key, fingerprint: fingerprintOf(context, body), isAnswer: isStoredReply };
  const { server } = context;
  const dryRun = context.query()?.['dry_run'] === 'true';
  const made: Result<Reply>[] = [];
  const result = await server.host.once(actor, request, async (service) => {
    const reply = await work(service);
    if (!reply.ok) return reply;
    made.push(reply);
    return ok(storedReply(reply.value, server.limits.keptAnswerBytesMax, dryRun));
  });
  if (!result.ok) return result;
  const { answer, replayed } = result.value;
  const [first] = made;
  if (!replayed && first !== undefined) return first;
  if (!('anew' in answer)) context.answerHeader('idempotency-replayed', 'true');
  const service = server.host.as(actor);
  return replyOfStored(answer, service, async () => work(service));
}
