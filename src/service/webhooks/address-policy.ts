// Which addresses webhooks may connect to: public ones, and those that an operator has named. Knows no DNS.
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Range = readonly [Address, number];

/** What `--webhook-allow-private` stands for: networks of one's own, never multicast, broadcast or unspecified. */
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

/** What is given out to the public of IPv6. Outside lie the old ways to write an IPv4 address in one (`::127.0.0.1`). */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');
/** For examples in texts (RFC 9637). */
const EXAMPLES = ipaddr.IPv6.parseCIDR('3fff::/20');

/** @returns The range; `null` where the text is no CIDR block. */
export function parseRange(text: string): Range | null {
  try {
    return ipaddr.parseCIDR(text);
  } catch {
    return null;
  }
}

export class AddressPolicy {
  readonly #allowed: readonly Range[];

  /** @param allowed - CIDR blocks. @throws TypeError for one that is none. */
  constructor(allowed: readonly string[]) {
    this.#allowed = allowed.map((text) => {
      const range = parseRange(text);
      if (range === null) throw new TypeError(`'${text}' is no CIDR block such as 10.0.0.0/8`);
      return range;
    });
  }

  /** True where some address beside the public ones is allowed. */
  get allowsMore(): boolean {
    return this.#allowed.length > 0;
  }

  /**
   * Whether a connection may go there. Whatever is not known to be public is not: what stands for another address, such
   * as an IPv4-mapped one, is judged as that one or not at all.
   *
   * @param plain - Without TLS: then only what an operator has named.
   */
  allows(text: string, plain: boolean): boolean {
    const address = parse(text);
    if (address === null) return false;
    return (!plain && isPublic(address)) || this.names(text);
  }

  /** Whether an operator has named the address. */
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

/** IPv4-compatible, which nobody gives out any more. The library takes this way to write one for an IPv4-mapped one. */
const COMPATIBLE = /^::\d+\.\d+\.\d+\.\d+$/;

/** An IPv4-mapped address is the IPv4 address. A zone says only which way to go. */
function parse(text: string): Address | null {
  const bare = text.replace(/%.*$/s, '');
  if (COMPATIBLE.test(bare)) return null;
  return ipaddr.isValid(bare) ? ipaddr.process(bare) : null;
}
