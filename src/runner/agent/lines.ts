// Splits a stream into lines in bounded memory.
import { StringDecoder } from 'node:string_decoder';

export interface Lines {
  push(chunk: Buffer): void;
  /** Ends the stream; the last line needs no line feed. */
  end(): void;
}

/**
 * @param lineCharactersMax - Longer lines are dropped.
 * @param onLine - Gets each line without its line feed, in order.
 * @param onDropped - Called for each line that is dropped.
 */
export function createLines(
  lineCharactersMax: number,
  onLine: (line: string) => void,
  onDropped: () => void = () => undefined,
): Lines {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  let dropping = false;

  function endLine(text: string): void {
    if (!dropping && text.length <= lineCharactersMax) onLine(text);
    else onDropped();
    dropping = false;
  }

  function addText(text: string): void {
    const lines = text.split('\n');
    const last = lines.pop() ?? '';
    for (const one of lines) {
      endLine(rest + one);
      rest = '';
    }
    rest = dropping ? '' : rest + last;
    if (rest.length > lineCharactersMax) {
      rest = '';
      dropping = true;
    }
  }

  return {
    push: (chunk) => addText(decoder.write(chunk)),
    end: () => addText(`${decoder.end()}\n`),
  };
}
