// Client options: the address of the service, the identity of the caller, retries. Validates them.
import type { FetchFunction } from './fetch.js';
import type { RetryOptions } from './retry.js';
import { UNSENDABLE } from './sendable.js';
import { isHttpUrl } from '../../domain/webhooks/http-url.js';

/** Options of a client. */
export interface ClientOptions {
  /** URL of the service, such as `http://127.0.0.1:4717`. A path prefix is kept. */
  readonly url: string;
  /** Bearer token. */
  readonly token?: string | undefined;
  /** Id of the calling session, for a loopback service without authentication. */
  readonly sessionId?: string | undefined;
  /** Name of the calling session, used as `sessionId` is. */
  readonly sessionName?: string | undefined;
  /** Replaces the global `fetch`. */
  readonly fetch?: FetchFunction | undefined;
  /** Aborts every request of this client, current and future. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Time limit of a reply, milliseconds, in addition to the wait that a call asks for. 30,000 by default, `Infinity` for
   * none. A longer one than 2,147,483,647 (about 24.8 days) counts as that.
   */
  readonly timeoutMs?: number | undefined;
  /**
   * Idempotency key for all writes of this client, at most 238 characters. A second client with the same key that makes the
   * same calls changes nothing and gets the stored answers. Calls to the same method and path count in their order, those to
   * others in any: if the second of two such calls has other content than before, it fails with `idempotency_mismatch`. A call
   * that was not accepted does not count. Without this option each call has its own key.
   */
  readonly idempotencyKey?: string | undefined;
  /** Id of the agent's tool call that causes these requests; the history records it. */
  readonly toolCallId?: string | undefined;
  /** When a request is retried; `false` for never. */
  readonly retry?: RetryOptions | false | undefined;
}

/** Validated address and identity headers. */
interface Target {
  /** Without a trailing slash. */
  readonly base: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** @throws TypeError If the URL or a name is invalid. */
export function targetOf(options: ClientOptions): Target {
  const url = isHttpUrl(options.url) ? new URL(options.url) : null;
  if (url === null) {
    throw new TypeError(
      `Not the URL of a service: ${options.url} (expected one such as http://127.0.0.1:4717)`,
    );
  }
  if (url.username !== '' || url.password !== '') {
    throw new TypeError('The URL of the service carries a user name or password; use a token instead');
  }
  refuseUnsendable(options);
  for (const [what, name] of IN_HEADERS) {
    if (!UNSENDABLE.test(options[name] ?? '')) continue;
    throw new TypeError(`The ${what} (option ${name} of a client) has a character that no header can carry`);
  }
  const headers = identity(options);
  if (options.toolCallId !== undefined) headers['x-tool-call-id'] = options.toolCallId;
  return { base: `${url.origin}${url.pathname.replace(/\/+$/, '')}`, headers };
}

const IN_HEADERS = [
  ['tool call id', 'toolCallId'],
  ['idempotency key', 'idempotencyKey'],
] as const;

/** Where each value comes from, for error messages. */
const GIVEN_AS = {
  token: 'The token (COUNTERSIGN_TOKEN, --token, or the option token of a client)',
  sessionId: 'The session id (AGENT_SESSION_ID, or the option sessionId of a client)',
  sessionName: 'The session name (AGENT_SESSION_NAME, or the option sessionName of a client)',
} as const;

/**
 * @throws TypeError If a value has a character that no header can carry. The message never contains the
 * value: it is a secret.
 */
function refuseUnsendable(options: ClientOptions): void {
  for (const name of ['token', 'sessionId', 'sessionName'] as const) {
    const given = options[name] ?? '';
    const at = given.search(/[^\x20-\x7e]/);
    if (at < 0) continue;
    const code = (given.codePointAt(at) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    throw new TypeError(
      `${GIVEN_AS[name]} is not one: character ${String(at + 1)} is U+${code}, and only printable ASCII can be sent. Was it copied whole, and as it is?`,
    );
  }
}

/** A token identifies the caller completely, so with a token no session header is sent. */
function identity(options: ClientOptions): Record<string, string> {
  if (options.token !== undefined) return { authorization: `Bearer ${options.token}` };
  const headers: Record<string, string> = {};
  if (options.sessionId !== undefined) headers['x-agent-session-id'] = options.sessionId;
  if (options.sessionName !== undefined) headers['x-agent-session-name'] = options.sessionName;
  return headers;
}
