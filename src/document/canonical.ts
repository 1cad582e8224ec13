// Canonical JSON (RFC 8785) and content hashes: the identity of schemas, requests and events.
import { hash } from 'node:crypto';
import { createRequire } from 'node:module';
import { quoted, type JsonValue } from '../domain/json/json.js';
import type { Patch, PatchOperation } from '../domain/json/patch.js';

// `canonicalize` is CommonJS whose types claim an ES default export, which NodeNext takes at its word.
const serialize = createRequire(import.meta.url)('canonicalize') as (value: JsonValue) => string;

/** Writes a value the one way that RFC 8785 allows. The value must be of checked depth: the walk is recursive. */
export function canonicalJson(value: JsonValue): string {
  return serialize(value);
}

/** The same for a patch, whose small operations are written without sorting what is known to be in order. */
export function canonicalPatch(patch: Patch): string {
  let text = '';
  for (const operation of patch) text += `${text === '' ? '[' : ','}${canonicalOperation(operation)}`;
  return text === '' ? '[]' : `${text}]`;
}

function canonicalOperation(operation: PatchOperation): string {
  if (!('value' in operation) || typeof operation.value === 'object') return canonicalJson({ ...operation });
  const { op, path, value } = operation;
  const text = typeof value === 'string' ? quoted(value) : JSON.stringify(value);
  return `{"op":"${op}","path":${quoted(path)},"value":${text}}`;
}

/** SHA-256 of a text's UTF-8 bytes, as 64 hex digits. */
export function contentHash(text: string): string {
  return hash('sha256', text);
}
