// A stream of JSON lines in bounded memory: objects come out, whatever else is printed between them does not.
import { StringDecoder } from 'node:string_decoder';
import { isJsonObject, type JsonObject, type JsonValue } from '../../domain/json.js';

export interface JsonLines {
  push(chunk: Buffer): void;
  /** The stream is over: a last line needs no line feed. */
  end(): void;
}

/**
 * @param lineCharactersMax - A longer line is dropped.
 * @param onObject - Gets each line that is a JSON object, in order.
 */
export function createJsonLines(
  lineCharactersMax: number,
  onObject: (object: JsonObject) => void,
): JsonLines {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  let dropping = false;

  function line(text: string): void {
    if (!dropping && text.length <= lineCharactersMax && text.trimStart().startsWith('{')) {
      const value = parsed(text);
      if (isJsonObject(value)) onObject(value);
    }
    dropping = false;
  }

  function take(text: string): void {
    const lines = text.split('\n');
    const last = lines.pop() ?? '';
    for (const one of lines) {
      line(rest + one);
      rest = '';
    }
    rest = dropping ? '' : rest + last;
    if (rest.length > lineCharactersMax) {
      rest = '';
      dropping = true;
    }
  }

  return {
    push: (chunk) => take(decoder.write(chunk)),
    end: () => take(`${decoder.end()}\n`),
  };
}

function parsed(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return null;
  }
}
