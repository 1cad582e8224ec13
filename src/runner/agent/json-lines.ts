// A stream of JSON lines in bounded memory: objects come out, whatever else is printed between them does not.
import { isJsonObject, type JsonObject } from '../../domain/json/json.js';
import { createLines, type Lines } from './lines.js';
import { parsed } from '../json-text.js';

/**
 * @param lineCharactersMax - A longer line is dropped.
 * @param onObject - Gets each line that is a JSON object, in order.
 */
export function createJsonLines(lineCharactersMax: number, onObject: (object: JsonObject) => void): Lines {
  return createLines(lineCharactersMax, (text) => {
    const value = text.trimStart().startsWith('{') ? parsed(text) : null;
    if (isJsonObject(value)) onObject(value);
  });
}
