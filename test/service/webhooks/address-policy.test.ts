import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AddressPolicy, parseRange, PRIVATE_RANGES } from '../../../src/service/webhooks/address-policy.js';

const strict = new AddressPolicy([]);
const own = new AddressPolicy(PRIVATE_RANGES);

const PUBLIC = ['8.8.8.8', '93.184.216.34', '2606:4700::1111', '::ffff:8.8.8.8'];
const PRIVATE = [
  ...['127.0.0.1', '127.255.255.254', '10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1'],
  ...[
    '169.254.169.254',
    '100.64.0.1',
    '::1',
    'fc00::1',
    'fdff::1',
    'fe80::1',
    'fe80::1%eth0',
    '::ffff:127.0.0.1',
  ],
  '::ffff:10.0.0.1',
];
const NEVER = [
  ...[
    '0.0.0.0',
    '0.1.2.3',
    '255.255.255.255',
    '224.0.0.1',
    '239.1.1.1',
    '240.0.0.1',
    '192.0.2.1',
    '198.18.0.1',
  ],
  ...[
    '::',
    'ff02::1',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
    '2001::1',
    '2001:db8::1',
    '::127.0.0.1',
    '::7f00:1',
    '::a9fe:a9fe',
    '::8.8.8.8',
    '::ffff:0:127.0.0.1',
    '64:ff9b:1::7f00:1',
    '2002:a9fe:a9fe::1',
    'fec0::1',
    '100::1',
    '3fff::1',
    '5f00::1',
    '2001:20::1',
    'nonsense',
    '',
    '127.0.0.1:80',
  ],
];

describe('the addresses that webhooks may reach', () => {
  it.each(PUBLIC)('%s is public: over TLS', (address) => {
    expect([strict.allows(address, false), strict.allows(address, true)]).toEqual([true, false]);
    expect(own.allows(address, true)).toBe(false);
  });

  it.each(PRIVATE)('%s only where it is allowed, without TLS too', (address) => {
    expect([strict.allows(address, false), own.allows(address, false), own.allows(address, true)]).toEqual([
      false,
      true,
      true,
    ]);
  });

  it.each(NEVER)('%s never', (address) => {
    expect([strict.allows(address, false), own.allows(address, false)]).toEqual([false, false]);
  });

  it('are the named ones and no others', () => {
    const some = new AddressPolicy(['10.1.0.0/16', '::1/128']);
    expect(['10.1.2.3', '::1', '10.2.0.1', '127.0.0.1'].map((one) => some.allows(one, true))).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  it('are judged alike however an IPv4 address is written', () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        for (const policy of [strict, own]) {
          expect(policy.allows(`::ffff:${address}`, false)).toBe(policy.allows(address, false));
        }
      }),
    );
  });

  it('are no IPv6 address outside of what is given out to the public, whatever it stands for', () => {
    fc.assert(
      fc.property(fc.ipV6(), fc.ipV4(), (address, inside) => {
        if (strict.allows(address, false)) expect(address).toMatch(/^([23][0-9a-f]{3}:|::ffff:)/i);
        expect(strict.allows(`::${inside}`, false)).toBe(false);
        expect(strict.allows(`64:ff9b::${inside}`, false)).toBe(false);
      }),
    );
  });

  it.each(['10.0.0.0', '10.0.0.0/33', 'ten', ''])('cannot be named as %j', (text) => {
    expect(parseRange(text)).toBeNull();
    expect(() => new AddressPolicy([text])).toThrow(TypeError);
  });
});
