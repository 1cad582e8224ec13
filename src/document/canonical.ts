// Canonical JSON (RFC 8785) and content hashes, which identify schemas, requests and events.
import { hash } from 'node:crypto';
import { createRequire } from 'node:module';
import { quoted, type JsonValue } from '../domain/json/json.js';
import type { Patch, PatchOperation } from '../domain/json/patch.js';

// `canonicalize` is CommonJS, but its types declare an ES default export, which NodeNext takes literally.
const serialize = createRequire(import.meta.url)('canonicalize') as (value: JsonValue) => string;

/** The canonical text of a value (RFC 8785). Recursive: the value's depth must be checked before. */
export function canonicalJson(value: JsonValue): string {
  return serialize(value);
}

/** The canonical text of a patch. Operations with scalar values are written directly, in the known order of members. */
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
