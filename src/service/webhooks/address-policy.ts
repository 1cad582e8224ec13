// Decides which addresses webhooks may connect to: public ones, and those that the operator allows. It does no DNS.
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Range = readonly [Address, number];

/**
 * The ranges of `--webhook-allow-private`: private networks, but never multicast, broadcast or unspecified addresses.
 */
export const PRIVATE_RANGES: readonly string[] = [
  '127.0.0.0/8',
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '169.254.0.0/16',
  '100.64.0.0/10',
  '::1/128',
  'fc00::/7',
  'fe80::/10',
];

/** Global unicast of IPv6. Old notations that embed an IPv4 address (`::127.0.0.1`) are outside of it. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');
/** Addresses for documentation (RFC 9637). */
const EXAMPLES = ipaddr.IPv6.parseCIDR('3fff::/20');

/** @returns The range; `null` if the text is not a CIDR block. */
export function parseRange(text: string): Range | null {
  try {
    return ipaddr.parseCIDR(text);
  } catch {
    return null;
  }
}

/** The host of a URL: a name, or an address without the brackets of IPv6. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}

export class AddressPolicy {
  readonly #allowed: readonly Range[];

  /** @param allowed - CIDR blocks. @throws TypeError if one is malformed. */
  constructor(allowed: readonly string[]) {
    this.#allowed = allowed.map((text) => {
      const range = parseRange(text);
      if (range === null) throw new TypeError(`'${text}' is no CIDR block such as 10.0.0.0/8`);
      return range;
    });
  }

  /** True if the operator allows any address beside the public ones. */
  get allowsMore(): boolean {
    return this.#allowed.length > 0;
  }

  /**
   * Whether a connection to the address is allowed. An address that is not known to be public is not public. An
   * address that stands for another one, such as an IPv4-mapped one, is treated as that other address or refused.
   *
   * @param plain - True for a connection without TLS: then only addresses that the operator allows.
   */
  allows(text: string, plain: boolean): boolean {
    const address = parse(text);
    if (address === null) return false;
    return (!plain && isPublic(address)) || this.names(text);
  }

  /** Whether the operator allows the address. */
  names(text: string): boolean {
    const address = parse(text);
    return (
      address !== null &&
      this.#allowed.some(
        ([network, bits]) => network.kind() === address.kind() && address.match(network, bits),
      )
    );
  }
}

function isPublic(address: Address): boolean {
  if (address.range() !== 'unicast') return false;
  if (address instanceof ipaddr.IPv4) return true;
  return address.match(GLOBAL_UNICAST) && !address.match(EXAMPLES);
}

/** IPv4-compatible addresses, which are deprecated. The library parses this notation as an IPv4-mapped address. */
const COMPATIBLE = /^::\d+\.\d+\.\d+\.\d+$/;

/**
 * Parses an address. An IPv4-mapped address becomes the IPv4 address. A zone is ignored: it only selects an interface.
 */
function parse(text: string): Address | null {
  const bare = text.replace(/%.*$/s, '');
  if (COMPATIBLE.test(bare)) return null;
  return ipaddr.isValid(bare) ? ipaddr.process(bare) : null;
}
