// Sends one POST request: only to an allowed address, within a timeout, and without following redirects.
import { lookup, type LookupAddress } from 'node:dns';
import { request as plainRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as secureRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import type { SendResult } from '../../domain/webhooks/attempt.js';
import type { Limits } from '../../domain/limits.js';
import type { Clock } from '../../ports/runtime.js';
import { hostOf, type AddressPolicy } from './address-policy.js';
import { retryAfterMs } from '../../domain/retry-after.js';

/** Resolves a name to all its addresses, like `dns.lookup`. */
export type Resolve = (
  hostname: string,
  options: { readonly all: true },
  done: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

interface Message {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

interface Parts {
  readonly policy: AddressPolicy;
  readonly limits: Pick<Limits, 'webhookTimeoutMs' | 'webhookResponseBytesMax'>;
  readonly clock: Clock;
  readonly userAgent: string;
  readonly resolve?: Resolve | undefined;
}

/** The policy does not allow the address. */
class AddressRefusedError extends Error {
  override readonly name = 'AddressRefusedError';
}

export class Sender {
  constructor(private readonly parts: Parts) {}

  /**
   * Sends a message and reads the beginning of the response. Never throws: an error is a result. Settles within the
   * timeout, whatever the receiver does.
   */
  send({ url, headers, body }: Message, signal: AbortSignal): Promise<SendResult> {
    const { limits, clock, userAgent } = this.parts;
    const began = performance.now();
    const took = () => Math.round(performance.now() - began);
    return new Promise((resolve) => {
      const target = new URL(url);
      const plain = target.protocol === 'http:';
      const failed = (error: string): SendResult => ({ kind: 'error', error, durationMs: took() });
      const host = hostOf(target);
      // Node.js calls no lookup for a literal address, so it is checked here.
      if (isIP(host) !== 0 && !this.parts.policy.allows(host, plain)) {
        resolve(failed(REFUSED));
        return;
      }
      const options: RequestOptions = {
        method: 'POST',
        // A new connection per request, so that the address of each connection is checked.
        agent: false,
        lookup: this.#lookup(plain),
        signal,
        headers: {
          ...headers,
          'content-type': 'application/json',
          'content-length': String(Buffer.byteLength(body)),
          'user-agent': userAgent,
          connection: 'close',
        },
      };
      const request = (plain ? plainRequest : secureRequest)(target, options);
      const finish = (result: SendResult) => {
        clearTimeout(timer);
        request.destroy();
        resolve(result);
      };
      // The send ends here even if the request emits nothing any more. An answer without its end counts, like one that is cut off.
      const timer = setTimeout(() => {
        if (reading !== null) reading.destroy();
        else finish(failed(`there was no answer within ${String(limits.webhookTimeoutMs)} ms`));
      }, limits.webhookTimeoutMs);
      request.on('error', (error) => finish(failed(plainReason(error))));
      request.on('upgrade', (_answer, socket) => {
        socket.destroy();
        finish(failed(LEFT_HTTP));
      });
      let reading: IncomingMessage | null = null;
      request.on('response', (answer) => {
        reading = answer;
        void readBeginning(answer, limits.webhookResponseBytesMax).then((response) =>
          finish({
            kind: 'answer',
            status: answer.statusCode ?? 0,
            retryAfterMs: retryAfterMs(answer.headers['retry-after'], answer.headers.date, clock.wall()),
            response,
            durationMs: took(),
          }),
        );
      });
      // After a response, its reader decides: the body may be cut off.
      request.on('close', () => {
        if (reading === null) finish(failed(NO_ANSWER));
      });
      request.end(body);
    });
  }

  /**
   * A lookup that returns allowed addresses only. The connection uses its result, so a DNS change cannot
   * evade the check.
   */
  #lookup(plain: boolean): LookupFunction {
    const resolve: Resolve = this.parts.resolve ?? lookup;
    return (hostname, options, done) => {
      resolve(hostname, { all: true }, (error, addresses) => {
        if (error !== null) {
          done(error, []);
          return;
        }
        const allowed = addresses.filter(({ address }) => this.parts.policy.allows(address, plain));
        const [first] = allowed;
        if (first === undefined) {
          done(new AddressRefusedError(REFUSED), []);
        } else if (options.all === true) done(null, allowed);
        else done(null, first.address, first.family);
      });
    };
  }
}

/** Does not mention the address: the creator of a webhook may not know what a name resolves to inside the network. */
const REFUSED = 'address refused: it is not public, and not one that the service may call';

const LEFT_HTTP = 'the receiver switched to another protocol';
const NO_ANSWER = 'the connection ended without an answer';

/** Reads the beginning of a response as text. If the response is cut off, returns what has arrived. */
function readBeginning(answer: IncomingMessage, bytesMax: number): Promise<string> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const finish = () => resolve(Buffer.concat(chunks).subarray(0, bytesMax).toString());
    answer.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes >= bytesMax) finish();
    });
    answer.on('end', finish);
    answer.on('error', finish);
    answer.on('close', finish);
  });
}

/**
 * Describes an error by its code. The message of a system error contains the address, and that of a certificate
 * error the certificate's names; both may belong to a private network.
 */
function plainReason(error: Error): string {
  if (error instanceof AddressRefusedError) return error.message;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : null;
  if (code === null) return error.message;
  const words = REASONS[code];
  return words === undefined ? code : `${code}: ${words}`;
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset by the peer',
  EHOSTUNREACH: 'host unreachable',
  ENETUNREACH: 'network unreachable',
  ENOTFOUND: 'the name is not known',
  EAI_AGAIN: 'the name cannot be looked up now',
  ETIMEDOUT: 'the connection took too long',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate is for another name',
  CERT_HAS_EXPIRED: 'the certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'the certificate is signed by itself',
  SELF_SIGNED_CERT_IN_CHAIN: 'the certificate is signed by itself',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'the certificate cannot be verified',
};
