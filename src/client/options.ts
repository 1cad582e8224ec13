// What a client needs to know: where the service is, who is asking, and how long it keeps trying.
import type { RetryOptions } from './transport/retry.js';

export interface ClientOptions {
  /** Where the service is, such as `http://127.0.0.1:4717`; a path in front of the API is kept. */
  readonly url: string;
  /** Bearer token. */
  readonly token?: string | undefined;
  /** Session that is asking, on an open loopback. */
  readonly sessionId?: string | undefined;
  /** The same, by name. */
  readonly sessionName?: string | undefined;
  /** Stands in for the global `fetch`. */
  readonly fetch?: typeof fetch | undefined;
  /** Gives every request up, now and from then on. */
  readonly signal?: AbortSignal | undefined;
  /** How long an answer may take, milliseconds, beside what a call asks to wait for. 30,000 by default. */
  readonly timeoutMs?: number | undefined;
  /**
   * Stands for all that this client is asked to change: another client that is made with the same one, and asked the
   * same, changes nothing more and gets the same answers. Without it each call has a key of its own.
   */
  readonly idempotencyKey?: string | undefined;
  /** The call of a tool that all of this is for; the history names it. */
  readonly toolCallId?: string | undefined;
  /** When a request is sent again; `false` for never. */
  readonly retry?: RetryOptions | false | undefined;
}

/** Where and as whom requests are made, checked. */
export interface Target {
  /** Without a slash at its end. */
  readonly base: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** @throws TypeError Where the URL or a name cannot be used. */
export function targetOf(options: ClientOptions): Target {
  const url = URL.canParse(options.url) ? new URL(options.url) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new TypeError(
      `Not the URL of a service: ${options.url} (expected one such as http://127.0.0.1:4717)`,
    );
  }
  if (url.username !== '' || url.password !== '') {
    throw new TypeError('The URL of the service carries a user name or password; use a token instead');
  }
  refuseUnsendable(options);
  const headers = identity(options);
  if (options.toolCallId !== undefined) headers['x-tool-call-id'] = options.toolCallId;
  new Headers(headers); // throws on what no header can carry
  return { base: `${url.origin}${url.pathname.replace(/\/+$/, '')}`, headers };
}

/** Where each comes from, in the words of those who give it. */
const GIVEN_AS = {
  token: 'The token (COUNTERSIGN_TOKEN, --token, or the option token of a client)',
  sessionId: 'The session id (AGENT_SESSION_ID, or the option sessionId of a client)',
  sessionName: 'The session name (AGENT_SESSION_NAME, or the option sessionName of a client)',
} as const;

/** @throws TypeError Where one holds a character that no header carries; the text itself, which is a secret, is not told. */
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

/** A token says more than a name: where there is one, it alone is shown. */
function identity(options: ClientOptions): Record<string, string> {
  if (options.token !== undefined) return { authorization: `Bearer ${options.token}` };
  const headers: Record<string, string> = {};
  if (options.sessionId !== undefined) headers['x-agent-session-id'] = options.sessionId;
  if (options.sessionName !== undefined) headers['x-agent-session-name'] = options.sessionName;
  return headers;
}
