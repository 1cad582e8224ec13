// The messages of standard input: one on each line, or a batch of them, as revision 2025-03-26 has it.
import { isUtf8 } from 'node:buffer';
import {
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResponse,
  type JSONRPCMessage,
} from '@modelcontextprotocol/server';
import {
  isJsonArray,
  isJsonObject,
  parsedJson,
  type JsonObject,
  type JsonValue,
} from '../../domain/json/json.js';
import { withoutByteOrderMark } from '../../domain/text.js';
import { withoutNulls } from '../messages.js';

const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;
const NEWLINE = 10;

/** What one line says. */
export interface Line {
  readonly isBatch: boolean;
  readonly messages: readonly JSONRPCMessage[];
  /** The answers to what is no message. Without them their client waits in vain. */
  readonly errors: readonly JsonObject[];
}

/** Reads a line; `null` if it is blank. */
export function lineOf(bytes: Buffer): Line | null {
  const text = withoutByteOrderMark(bytes.toString());
  if (text.trim() === '') return null;
  // In other bytes, characters would be replaced without a word.
  if (!isUtf8(bytes)) return refused(errorOf(null, PARSE_ERROR, 'The line is not UTF-8'));
  const body = parsedJson(text);
  if (body === undefined) return refused(errorOf(null, PARSE_ERROR, 'The line is not JSON'));
  if (!isJsonArray(body)) return lineOfAll([body], false);
  if (body.length === 0) return refused(errorOf(null, INVALID_REQUEST, 'The batch is empty'));
  return lineOfAll(body, true);
}

function lineOfAll(bodies: readonly JsonValue[], isBatch: boolean): Line {
  const messages: JSONRPCMessage[] = [];
  const errors: JsonObject[] = [];
  for (const body of bodies) {
    const message: unknown = withoutNulls(body);
    if (isMessage(message)) messages.push(message);
    else if (isAnswered(body)) errors.push(errorOf(idOf(body), INVALID_REQUEST, NO_MESSAGE));
  }
  return { isBatch, messages, errors };
}

const NO_MESSAGE =
  'Not a valid JSON-RPC message: "jsonrpc" is "2.0", "method" a text, "params" an object, and "id" a text or an integer';

function refused(error: JsonObject): Line {
  return { isBatch: false, messages: [], errors: [error] };
}

function isMessage(value: unknown): value is JSONRPCMessage {
  return isJSONRPCRequest(value) || isJSONRPCNotification(value) || isJSONRPCResponse(value);
}

/** Notifications and answers get no answer, however malformed they are. */
function isAnswered(body: JsonValue): boolean {
  if (!isJsonObject(body)) return true;
  const { id, method, result, error } = body;
  if (result !== undefined || error !== undefined) return false;
  return id !== undefined || typeof method !== 'string';
}

function idOf(body: JsonValue): JsonValue {
  const id = isJsonObject(body) ? body['id'] : null;
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}

function errorOf(id: JsonValue, code: number, message: string): JsonObject {
  return { jsonrpc: '2.0', id, error: { code, message } };
}

/** Splits what arrives into lines. */
export class LineSplitter {
  #parts: Buffer[] = [];
  #bytes = 0;

  /** @param bytesMax - Longest line. */
  constructor(private readonly bytesMax: number) {}

  /** Returns the lines that the chunk completes; `null` if a line is too long. */
  push(chunk: Buffer): readonly Buffer[] | null {
    const lines: Buffer[] = [];
    let from = 0;
    for (;;) {
      const to = chunk.indexOf(NEWLINE, from);
      const part = chunk.subarray(from, to < 0 ? undefined : to);
      this.#bytes += part.length;
      if (this.#bytes > this.bytesMax) return null;
      this.#parts.push(part);
      if (to < 0) return lines;
      lines.push(this.rest());
      from = to + 1;
    }
  }

  /** Returns what came after the last newline: at the end of the input, the last line. */
  rest(): Buffer {
    const line = Buffer.concat(this.#parts);
    this.#parts = [];
    this.#bytes = 0;
    return line;
  }
}
