// Signatures according to Standard Webhooks: HMAC-SHA-256 over id, timestamp and body.
import { createHmac, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;
const SECRET_BYTES_MIN = 24;
const SECRET_BYTES_MAX = 64;

/** A new secret, in the form that the receiver configures. */
export function newSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString('base64');
}

/** True if the text is a secret with a key of 24 to 64 bytes. */
export function isSecret(text: string): boolean {
  const encoded = text.slice(PREFIX.length);
  const key = Buffer.from(encoded, 'base64');
  return (
    text.startsWith(PREFIX) &&
    key.length >= SECRET_BYTES_MIN &&
    key.length <= SECRET_BYTES_MAX &&
    key.toString('base64') === encoded
  );
}

/** The headers that sign a message. @param at - Milliseconds since the Unix epoch. */
export function signedHeaders(secret: string, id: string, at: number, body: string): Record<string, string> {
  const timestamp = String(Math.floor(at / 1000));
  const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` };
}
