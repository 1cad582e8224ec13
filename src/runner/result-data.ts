// Extracts result data: the JSON object at the end of an agent's output. Pure.
import { DEFAULT_LIMITS } from '../domain/limits.js';
import { isJsonObject, type JsonObject } from '../domain/json/json.js';
import { isDeeperThan } from '../domain/json/scan.js';
import { parsed } from '../agent-clients/runs/json-text.js';

/** @returns The last non-empty line if it is a JSON object that is not nested deeper than a document may be. */
export function resultDataOf(text: string): JsonObject | null {
  const trimmed = text.trimEnd();
  const line = trimmed.slice(trimmed.lastIndexOf('\n') + 1).trim();
  const value = line.startsWith('{') ? parsed(line) : undefined;
  return isJsonObject(value) && !isDeeperThan(value, DEFAULT_LIMITS.documentDepthMax) ? value : null;
}
