// Whether a request may come in at all: the host that it is for (against DNS rebinding) and the Origin of the page that
// sends it.
import { refused, type Refusal } from '../domain/errors.js';

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** The name or address in a Host header: lower case, without port. */
function hostName(header: string): string {
  const host = header.toLowerCase();
  const end = host.startsWith('[') ? host.indexOf(']') + 1 : host.indexOf(':');
  return end > 0 ? host.slice(0, end) : host;
}

function bracketed(host: string): string {
  const bare = host.toLowerCase();
  return bare.includes(':') && !bare.startsWith('[') ? `[${bare}]` : bare;
}

/** `host:port` of an origin, without the default port; `null` for opaque and malformed ones. */
function originHost(origin: string): string | null {
  try {
    return new URL(origin).host;
  } catch {
    return null;
  }
}

/** `Sec-Fetch-Site` of the service's own pages, and of what no page asked for, such as a typed address. */
const OWN_SITES = ['same-origin', 'none'];

export interface Guard {
  /**
   * @param host - The host that the request is for; `null` where it names none, or more than one.
   * @param site - What a browser says in `Sec-Fetch-Site` of the page that sends a request which changes something; `null`
   *   for all other requests.
   * @returns Why the request stays outside: `malformed_request`, `host_refused`, `origin_refused`; `null` where it may come in.
   */
  check(host: string | null, origin: string | null, site?: string | null): Refusal | null;
  /** True for an origin of another site that the operator listed: it gets CORS headers. */
  isListed(origin: string): boolean;
}

/**
 * @param allowedHosts - Names and addresses beside the loopback ones under which the service is reached; ports do not count.
 * @param allowedOrigins - Origins of pages elsewhere that may call, such as `https://tools.example`.
 */
export function createGuard(allowedHosts: readonly string[], allowedOrigins: readonly string[]): Guard {
  const hosts = new Set(allowedHosts.map((host) => hostName(bracketed(host))));
  const origins = new Set(allowedOrigins.map((origin) => origin.toLowerCase().replace(/\/$/, '')));
  /** The Host header that was looked at last and let in: nearly always the next one too. */
  let lastKnown: string | null = null;
  const isListed = (origin: string) => origins.has(origin.toLowerCase());

  function hostIsKnown(header: string): boolean {
    if (header === lastKnown) return true;
    const name = hostName(header);
    const known = LOOPBACK.test(name) || hosts.has(name);
    if (known) lastKnown = header;
    return known;
  }

  return {
    isListed,
    check(host, origin, site = null) {
      if (host === null) {
        const { refusal } = refused(
          'malformed_request',
          'The request must have one Host header that names a host',
          {
            expected: 'one Host header: a name or an address, with or without a port',
          },
        );
        return refusal;
      }
      if (!hostIsKnown(host)) {
        const { refusal } = refused(
          'host_refused',
          'The request is for a host that this service does not answer for',
          { host },
        );
        return refusal;
      }
      if (origin === null) {
        // An image or a link of a page elsewhere asks with GET, and says nothing of its origin.
        if (site === null || OWN_SITES.includes(site.toLowerCase())) return null;
        const message = 'Pages of other sites may not ask for this';
        return refused('origin_refused', message, { site, expected: OWN_SITES }).refusal;
      }
      if (isListed(origin)) return null;
      const asked = originHost(origin);
      if (asked !== null && asked === originHost(`http://${host}`)) return null;
      return refused('origin_refused', 'Pages of this origin may not call the service', { origin }).refusal;
    },
  };
}
