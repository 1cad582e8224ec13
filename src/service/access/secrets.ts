// Hashes of tokens: what is stored and compared instead of the tokens themselves.
import { createHash } from 'node:crypto';

/** SHA-256 (hex). Our tokens are random and long, so a plain hash cannot be guessed back. */
export function secretHash(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}
