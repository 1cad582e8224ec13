// Extracts result data: the JSON object at the end of an agent's output. Pure.
import { isDeeperThan, isJsonObject, type JsonObject } from '../domain/json/json.js';
import { parsed } from '../agent-clients/runs/json-text.js';

/** @returns The last non-empty line if it is a JSON object that is not nested deeper than `depthMax`. */
export function resultDataOf(text: string, depthMax: number): JsonObject | null {
  const trimmed = text.trimEnd();
  const line = trimmed.slice(trimmed.lastIndexOf('\n') + 1).trim();
  const value = line.startsWith('{') ? parsed(line) : undefined;
  return isJsonObject(value) && !isDeeperThan(value, depthMax) ? value : null;
}
