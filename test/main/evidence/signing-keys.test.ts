// The keys of the environment.
import { describe, expect, it } from 'vitest';
import { signingKeys, signedBy, keyIdOf } from '../../../src/domain/evidence/keys.js';
import { signingKeysOf } from '../../../src/main/evidence/signing-keys.js';

const SECRET = 's'.repeat(32);
const HASH = 'a'.repeat(64);

describe('the signing keys of the environment', () => {
  it('are none without a secret, or with an empty one', () => {
    expect(signingKeysOf({})).toBeNull();
    expect(
      signingKeysOf({ COUNTERSIGN_SIGNING_SECRET: ' \n', COUNTERSIGN_SIGNING_SECRET_PREVIOUS: '' }),
    ).toBeNull();
  });

  it('take no white space around a secret for a part of it', () => {
    const keys = signingKeysOf({ COUNTERSIGN_SIGNING_SECRET: `${SECRET}\n` });
    expect(keys?.sign(HASH)).toBe(signingKeys(SECRET).sign(HASH));
  });

  it.each(['x', 'ü'.repeat(31), ` ${'x'.repeat(31)} `])('refuse a secret that is too short: %j', (secret) => {
    expect(() => signingKeysOf({ COUNTERSIGN_SIGNING_SECRET: secret })).toThrow('needs at least 32');
    const previous = { COUNTERSIGN_SIGNING_SECRET: SECRET, COUNTERSIGN_SIGNING_SECRET_PREVIOUS: secret };
    expect(() => signingKeysOf(previous)).toThrow('COUNTERSIGN_SIGNING_SECRET_PREVIOUS has');
  });

  it('verify what the secret and the one before have signed, and nothing else', () => {
    const [now, before, other] = [SECRET, 't'.repeat(32), 'u'.repeat(32)].map((one) => signingKeys(one));
    const keys = signingKeys(SECRET, 't'.repeat(32));
    expect(signedBy(keys.sign(HASH))).toBe(keyIdOf(SECRET));
    expect(keys.check(HASH, now?.sign(HASH) ?? '')).toBe('holds');
    expect(keys.check(HASH, before?.sign(HASH) ?? '')).toBe('holds');
    expect(keys.check(HASH, other?.sign(HASH) ?? '')).toBe('unknown_key');
    expect(keys.check('b'.repeat(64), keys.sign(HASH))).toBe('differs');
    for (const odd of ['', '.', keyIdOf(SECRET), `${keyIdOf(SECRET)}.`, `${keys.sign(HASH)}=`])
      expect(keys.check(HASH, odd)).not.toBe('holds');
  });
});
