// Reads JSON lines from a stream in bounded memory. Skips everything that is not a JSON object.
import { isJsonObject, type JsonObject } from '../../domain/json/json.js';
import { createLines, type Lines } from './lines.js';
import { parsed } from '../../agent-clients/runs/json-text.js';

/**
 * @param lineCharactersMax - Longer lines are dropped.
 * @param onObject - Gets each line that is a JSON object, in order.
 * @param onDropped - Called for each line that is dropped.
 */
export function createJsonLines(
  lineCharactersMax: number,
  onObject: (object: JsonObject) => void,
  onDropped?: () => void,
): Lines {
  const onLine = (text: string) => {
    const value = text.trimStart().startsWith('{') ? parsed(text) : null;
    if (isJsonObject(value)) onObject(value);
  };
  return createLines(lineCharactersMax, onLine, onDropped);
}
