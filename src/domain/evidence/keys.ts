// The keys that sign histories: HMAC-SHA-256 over the hash of a record. Knows no record; see hashes.ts.
import { createHmac, timingSafeEqual } from 'node:crypto';

/** The result of verifying a signature. */
type SignatureCheck = 'holds' | 'differs' | 'unknown_key';

/** The keys of one process: one that signs, and others that also verify. */
export interface SigningKeys {
  /** Id of the key that signs. */
  readonly id: string;
  /** Ids of all keys. */
  readonly ids: readonly string[];
  /** The signature of a hash (hex): the key id, a dot, and the HMAC in base64url. */
  sign(hash: string): string;
  check(hash: string, signature: string): SignatureCheck;
}

/** A secret cannot be used. The message is one plain sentence. */
export class SigningSecretError extends Error {
  override readonly name = 'SigningSecretError';
}

/** Fewest characters of a secret. Shorter ones can be guessed from a signature. */
export const SECRET_CHARACTERS_MIN = 32;

const ID_CHARACTERS = 12;

/** The id of a key is derived from it, so that nobody has to choose one. */
export function keyIdOf(secret: string): string {
  return createHmac('sha256', secret).update('signing key id').digest('hex').slice(0, ID_CHARACTERS);
}

/** True for what has the form of the id of a key. */
export function isKeyId(text: string): boolean {
  return text.length === ID_CHARACTERS && /^[0-9a-f]+$/.test(text);
}

/** The id of the key that made a signature. */
export function signedBy(signature: string): string {
  return signature.slice(0, Math.max(0, signature.indexOf('.')));
}

/**
 * The keys of a process.
 *
 * @param secret - Signs and verifies. At least `SECRET_CHARACTERS_MIN` characters; the caller checks that.
 * @param previous - Verifies too, for as long as records are signed with it.
 */
export function signingKeys(secret: string, previous: string | null = null): SigningKeys {
  const signing = keyOf(secret);
  const keys = new Map([previous === null ? signing : keyOf(previous), signing].map((key) => [key.id, key]));
  return {
    id: signing.id,
    ids: [...keys.keys()],
    sign: (hash) => signing.sign(hash),
    check(hash, signature) {
      const key = keys.get(signedBy(signature));
      if (key === undefined) return 'unknown_key';
      const expected = Buffer.from(key.sign(hash));
      const given = Buffer.from(signature);
      const isEqual = expected.length === given.length && timingSafeEqual(expected, given);
      return isEqual ? 'holds' : 'differs';
    },
  };
}

function keyOf(secret: string) {
  const id = keyIdOf(secret);
  return {
    id,
    sign: (hash: string) => `${id}.${createHmac('sha256', secret).update(hash).digest('base64url')}`,
  };
}
