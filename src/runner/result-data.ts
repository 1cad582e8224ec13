// Extracts result data: the JSON object at the end of an agent's output. Pure.
import { isJsonObject, type JsonObject } from '../domain/json/json.js';
import { parsed } from './json-text.js';

/** @returns The last non-empty line if it is a JSON object that is not nested deeper than `depthMax`. */
export function resultDataOf(text: string, depthMax: number): JsonObject | null {
  const trimmed = text.trimEnd();
  const line = trimmed.slice(trimmed.lastIndexOf('\n') + 1).trim();
  if (!line.startsWith('{') || isDeeper(line, depthMax)) return null;
  const value = parsed(line);
  return isJsonObject(value) ? value : null;
}

/** Counts on the text, because serializing deeply nested values would fail later. */
function isDeeper(json: string, depthMax: number): boolean {
  let depth = 0;
  let inString = false;
  for (let i = 0; i < json.length; i += 1) {
    const char = json[i];
    if (inString) {
      if (char === '\\') i += 1;
      else if (char === '"') inString = false;
    } else if (char === '"') inString = true;
    else if (char === '{' || char === '[') {
      depth += 1;
      if (depth > depthMax) return true;
    } else if (char === '}' || char === ']') depth -= 1;
  }
  return false;
}
