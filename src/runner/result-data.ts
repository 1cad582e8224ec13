// The data of a result: the JSON object that an agent's output ends with. Pure.
import { isJsonObject, type JsonObject } from '../domain/json/json.js';
import { parsed } from './json-text.js';

/** @returns The last line that is not empty, where it is a JSON object of no more than the given depth. */
export function resultDataOf(text: string, depthMax: number): JsonObject | null {
  const trimmed = text.trimEnd();
  const line = trimmed.slice(trimmed.lastIndexOf('\n') + 1).trim();
  if (!line.startsWith('{') || isDeeper(line, depthMax)) return null;
  const value = parsed(line);
  return isJsonObject(value) ? value : null;
}

/** Counted on the text: values that nest deeply break whoever writes them out again. */
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
