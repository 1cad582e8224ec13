// Checks whether a request is admitted at all: its host (against DNS rebinding) and the Origin of the page that
// sends it.
import { fail, type Failure } from '../domain/errors.js';

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** The name or address in a Host header: lower case, without port. */
function hostName(header: string): string {
  const host = header.toLowerCase();
  const end = host.startsWith('[') ? host.indexOf(']') + 1 : host.indexOf(':');
  return end > 0 ? host.slice(0, end) : host;
}

function bracketed(host: string): string {
  const bare = host.toLowerCase();
  // One colon is that of a port.
  return bare.split(':').length > 2 && !bare.startsWith('[') ? `[${bare}]` : bare;
}

/** `host:port` of an origin, without the default port; `null` for opaque and malformed origins. */
function originHost(origin: string): string | null {
  try {
    return new URL(origin).host;
  } catch {
    return null;
  }
}

/** The origin of a `Referer`; `null` if there is none. */
function originOf(referer: string | null): string | null {
  try {
    return referer === null ? null : new URL(referer).origin;
  } catch {
    return null;
  }
}

/** An origin as browsers send it: in lower case, without a default port. */
function plainOrigin(listed: string): string {
  const origin = originOf(listed);
  // Those of extensions and the like are opaque to `URL`.
  return origin === null || origin === 'null' ? listed.toLowerCase().replace(/\/$/, '') : origin;
}

/** `Sec-Fetch-Site` of the service's own pages, and of requests that no page initiated, such as a typed address. */
const OWN_SITES = ['same-origin', 'none'];

/** The start of every browser's `User-Agent`, including browsers that send neither `Origin` nor `Sec-Fetch-Site`. */
const BROWSER = /^Mozilla\//i;

/** Headers that a page of another site can send only after a preflight, which carries its `Origin`. */
const UNFORGED = [
  'authorization',
  'x-agent-session-id',
  'x-agent-session-name',
  'x-request-id',
  'idempotency-key',
];
/** Forms cannot have this type, whatever its parameters. */
const UNFORGED_TYPE = /^application\/([\w.-]+\+)?json\b/i;

type Header = (name: string) => string | null;

export interface Guard {
  /**
   * @param host - The requested host; `null` if the request names none, or more than one.
   * @param header - Reads the headers of a request that changes something; `null` for all other requests. They tell
   *   which page sends the request, if it is a page.
   * @returns Why the request is refused: `malformed_request`, `host_refused`, `origin_refused`; `null` if it is
   *   admitted.
   */
  check(host: string | null, origin: string | null, header?: Header | null): Failure | null;
  /** True for a listed origin of another site, which gets CORS headers. */
  isListed(origin: string): boolean;
}

/**
 * @param allowedHosts - Names and addresses of the service besides loopback; ports are ignored.
 * @param allowedOrigins - Origins of other sites that may call, such as `https://tools.example`.
 */
export function createGuard(allowedHosts: readonly string[], allowedOrigins: readonly string[]): Guard {
  const hosts = new Set(allowedHosts.map((host) => hostName(bracketed(host))));
  const origins = new Set(allowedOrigins.map(plainOrigin));
  /** The last admitted Host header; the next one is nearly always the same. */
  let lastKnown: string | null = null;
  const isListed = (origin: string) => origins.has(origin.toLowerCase());

  function hostIsKnown(header: string): boolean {
    if (header === lastKnown) return true;
    const name = hostName(header);
    const known = LOOPBACK.test(name) || hosts.has(name);
    if (known) lastKnown = header;
    return known;
  }

  /** True if the page's origin is listed or is the service's own. */
  function mayBe(origin: string, host: string): boolean {
    if (isListed(origin)) return true;
    const asked = originHost(origin);
    return asked !== null && asked === originHost(`http://${host}`);
  }

  /** The failure if the request may come from a page of another site. */
  function failedPage(host: string, header: Header): Failure | null {
    const site = header('sec-fetch-site');
    const message = 'Pages of other sites may not ask for this';
    if (site !== null) {
      if (OWN_SITES.includes(site.toLowerCase())) return null;
      return fail('origin_refused', message, { site, expected: OWN_SITES }).failure;
    }
    if (!BROWSER.test(header('user-agent') ?? '')) return null;
    if (UNFORGED.some((name) => header(name) !== null)) return null;
    if (UNFORGED_TYPE.test(header('content-type') ?? '')) return null;
    const page = originOf(header('referer'));
    if (page !== null && mayBe(page, host)) return null;
    const unknown = 'A browser sent this request without naming its page; ' + message.toLowerCase();
    return fail('origin_refused', unknown, { expected: ['referer', ...UNFORGED] }).failure;
  }

  return {
    isListed,
    check(host, origin, header = null) {
      if (host === null) {
        const { failure } = fail(
          'malformed_request',
          'The request must have one Host header that names a host',
          {
            expected: 'one Host header: a name or an address, with or without a port',
          },
        );
        return failure;
      }
      if (!hostIsKnown(host)) {
        const { failure } = fail(
          'host_refused',
          'The request is for a host that this service does not answer for',
          { host },
        );
        return failure;
      }
      // An image or a link on another site sends GET without an Origin.
      if (origin === null) return header === null ? null : failedPage(host, header);
      if (mayBe(origin, host)) return null;
      return fail('origin_refused', 'Pages of this origin may not call the service', { origin }).failure;
    },
  };
}
