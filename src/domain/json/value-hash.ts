// Tells later whether a value is still the same, without keeping it.
import { hash } from 'node:crypto';
import type { JsonValue } from './json.js';

/** Hashes the value at a pointer. */
export type ValueHashAt = (pointer: string) => string;

/** SHA-256 (hex) of a value as JSON text. No value has a hash of its own, too. */
export function valueHash(value: JsonValue | undefined): string {
  return hash('sha256', value === undefined ? '' : JSON.stringify(value));
}
