// Answers whose document is close to its maximum size, with the header that warns of it.
import { SIZE_WARNING, sizeWarnings } from '../../domain/states/size.js';
import { ok, type Result, type Violation } from '../../domain/errors.js';
import type { Limits } from '../../domain/limits.js';
import { jsonReply, type Reply } from './reply.js';

export const WARNING_HEADER = 'Countersign-Warning';

/** `stateBytesMax; actual=…; maximum=…`; no header without such a warning. */
export function warningHeaders(warnings: readonly Violation[] | undefined): Record<string, string> {
  const found = warnings?.find(({ keyword }) => keyword === SIZE_WARNING);
  if (found === undefined) return {};
  const { actual, maximum } = found.expected as { readonly actual: number; readonly maximum: number }; // made by `sizeWarnings`
  return { 'countersign-warning': `${SIZE_WARNING}; actual=${String(actual)}; maximum=${String(maximum)}` };
}

/** The same for a document of this size that was written just now. */
export function sizeHeaders(documentBytes: number, limits: Limits): Record<string, string> {
  return warningHeaders(sizeWarnings(documentBytes, limits));
}

/** The result of a write as JSON, with the warning that it holds; a failure is returned as it is. */
export function warnedReply<T extends { readonly warnings?: readonly Violation[] | undefined }>(
  result: Result<T>,
): Result<Reply> {
  return result.ok ? ok(jsonReply(200, result.value, warningHeaders(result.value.warnings))) : result;
}
