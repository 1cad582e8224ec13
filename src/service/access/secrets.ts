// Hashes of tokens. The database stores hashes, never the tokens themselves.
import { createHash } from 'node:crypto';

/** SHA-256 in hex. Tokens are long and random, so an unsalted hash cannot be reversed by guessing. */
export function secretHash(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}
