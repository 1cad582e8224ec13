// Documents as arguments: a file, standard input, or inline JSON.
import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { DEFAULT_LIMITS, type Limits } from '../../domain/limits.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../domain/json/json.js';
import { isDeeperThan } from '../../domain/json/scan.js';
import { messageOf, withoutByteOrderMark } from '../../domain/text.js';
import type { CliIo } from '../io/io.js';
import { UsageError } from '../usage-error.js';

/** The limit of what is read: a device may never end. */
type BytesMax = keyof Pick<Limits, 'documentFileBytesMax' | 'exportFileBytesMax'>;

/** Tells a document argument from a name. */
export async function looksLikeDocument(argument: string): Promise<boolean> {
  return argument === '-' || isInline(argument) || (await isFile(argument));
}

/**
 * @param argument - Path of a file, `-` for standard input, or JSON.
 * @throws UsageError If there is nothing to read, if it is too long, or if it is not JSON in UTF-8. A byte order mark is
 *   skipped.
 */
export async function readDocument(
  argument: string,
  io: CliIo,
  limit: BytesMax = 'documentFileBytesMax',
): Promise<JsonValue> {
  if (argument === '-') return parse(await readStdin(io, limit), 'Standard input');
  if (isInline(argument) || (isLiteral(argument) && !(await isFile(argument)))) {
    return parse(argument, 'The argument');
  }
  const what = `The content of ${argument}`;
  return parse(textOf(await readBytes(argument, limit), what), what);
}

/** @throws UsageError If the argument of the flag is not a JSON object. */
export async function readObject(argument: string, flag: string, io: CliIo): Promise<JsonObject> {
  const value = await readDocument(argument, io);
  if (!isJsonObject(value)) throw new UsageError(`${flag} needs a JSON object`);
  return value;
}

/**
 * Text of standard input.
 *
 * @throws UsageError If it is longer than the limit, or not UTF-8.
 */
export async function readStdin(io: CliIo, limit: BytesMax = 'documentFileBytesMax'): Promise<string> {
  return textOf(await readAll(io.stdin, 'Standard input', limit), 'Standard input');
}

async function readAll(
  source: AsyncIterable<Uint8Array | string>,
  what: string,
  limit: BytesMax,
): Promise<Buffer> {
  const bytesMax = DEFAULT_LIMITS[limit];
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of source) {
    const buffer = Buffer.from(chunk);
    bytes += buffer.length;
    if (bytes > bytesMax) throw new UsageError(`${what} is longer than ${bytesMax} bytes (${limit})`);
    chunks.push(buffer);
  }
  return Buffer.concat(chunks);
}

async function readBytes(path: string, limit: BytesMax): Promise<Buffer> {
  try {
    return await readAll(createReadStream(path), `The file ${path}`, limit);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (code === 'ENOENT') {
      throw new UsageError(`There is no file ${path}, and it is not JSON either (use - for standard input)`);
    }
    throw new UsageError(`The file ${path} cannot be read (${code})`);
  }
}

function textOf(bytes: Buffer, what: string): string {
  if (!isUtf8(bytes)) throw new UsageError(`${what} is not UTF-8`);
  return bytes.toString('utf8');
}

function parse(text: string, what: string): JsonValue {
  let value: JsonValue;
  try {
    value = JSON.parse(withoutByteOrderMark(text)) as JsonValue;
  } catch (error) {
    throw new UsageError(`${what} is not JSON: ${messageOf(error)}`);
  }
  checkDepth(value, what);
  return value;
}

/** @throws UsageError If a value is nested deeper than `jsonDepthMax`. */
export function checkDepth(value: JsonValue, what: string): void {
  const { jsonDepthMax } = DEFAULT_LIMITS;
  if (isDeeperThan(value, jsonDepthMax)) {
    throw new UsageError(`${what} is nested deeper than ${String(jsonDepthMax)} levels (jsonDepthMax)`);
  }
}

function isInline(argument: string): boolean {
  return /^\s*[[{"]/.test(argument);
}

/** A number, boolean or null: JSON without brackets or quotes, which could also be a file name. */
function isLiteral(argument: string): boolean {
  return /^\s*(-?[0-9][0-9.eE+-]*|true|false|null)\s*$/.test(argument);
}

async function isFile(path: string): Promise<boolean> {
  try {
    const found = await stat(path);
    // A shell passes <(command) as a FIFO.
    return found.isFile() || found.isFIFO();
  } catch {
    return false;
  }
}
