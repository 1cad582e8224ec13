// The target of a request over a socket: its Host header and its request target (RFC 9112, section 3.2).
import type { IncomingMessage } from 'node:http';

/**
 * `uri-host [":" port]` (RFC 9110, section 7.2) without commas, because Node joins two Host headers with one.
 * No user information.
 */
const HOST = /^(?:\[[0-9a-f:.]+\]|[a-z0-9._~!$&'()*+;=%-]+)(?::([0-9]{0,5}))?$/i;
/** The absolute form of a request target: the authority, and the rest. */
const ABSOLUTE = /^https?:\/\/([^/?]*)(.*)$/is;
const SLASH = 47;
const PORT_MAX = 65_535;

/** True for a Host header value that names one host. */
export function isHost(text: string): boolean {
  const found = HOST.exec(text);
  return found !== null && Number(found[1] ?? 0) <= PORT_MAX;
}

/**
 * The requested host. The host of an absolute target takes precedence over the Host header.
 *
 * @returns `null` if there is no Host header, more than one, or one that names no host.
 */
export function hostOf({ headers, url = '' }: IncomingMessage): string | null {
  const { host } = headers;
  if (host === undefined || !isHost(host)) return null;
  if (url.charCodeAt(0) === SLASH) return host;
  const authority = ABSOLUTE.exec(url)?.[1];
  if (authority === undefined) return host;
  return isHost(authority) ? authority : null;
}

/** The path and query of a request target. A target without a path, such as `*`, stays as it is. */
export function pathOf(url: string): string {
  if (url.charCodeAt(0) === SLASH) return url;
  const rest = ABSOLUTE.exec(url)?.[2];
  if (rest === undefined) return url;
  return rest.charCodeAt(0) === SLASH ? rest : `/${rest}`;
}
