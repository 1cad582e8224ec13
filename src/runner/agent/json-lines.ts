// Reads JSON lines from a stream in bounded memory. Skips everything that is not a JSON object.
import { isJsonObject, type JsonObject } from '../../domain/json/json.js';
import { createLines, type Lines } from './lines.js';
import { parsed } from '../../agent-clients/runs/json-text.js';

/**
 * @param lineCharactersMax - Longer lines are dropped.
 * @param onObject - Gets each line that is a JSON object, in order.
 */
export function createJsonLines(lineCharactersMax: number, onObject: (object: JsonObject) => void): Lines {
  return createLines(lineCharactersMax, (text) => {
    const value = text.trimStart().startsWith('{') ? parsed(text) : null;
    if (isJsonObject(value)) onObject(value);
  });
}
