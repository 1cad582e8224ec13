// Canonical JSON (RFC 8785) and content hashes: the identity of schemas, requests and events.
import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import type { JsonValue } from '../domain/json.js';

// `canonicalize` is CommonJS whose types claim an ES default export, which NodeNext takes at its word.
const serialize = createRequire(import.meta.url)('canonicalize') as (value: JsonValue) => string;

/** Writes a value the one way that RFC 8785 allows. The value must be of checked depth: the walk is recursive. */
export function canonicalJson(value: JsonValue): string {
  return serialize(value);
}

/** SHA-256 of a text's UTF-8 bytes, as 64 hex digits. */
export function contentHash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
