// The warning header of an answer whose document is close to its maximum size.
import { SIZE_WARNING, sizeWarnings } from '../../domain/states/size.js';
import type { Violation } from '../../domain/errors.js';
import type { Limits } from '../../domain/limits.js';

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
