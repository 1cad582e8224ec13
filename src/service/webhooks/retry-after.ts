// The header `Retry-After` (RFC 9110, section 10.2.3): seconds, or a date.

/** @returns Milliseconds from now, not below 0; `null` where the header is absent or says nothing that can be read. */
export function retryAfterMs(header: string | undefined, now: number): number | null {
  const text = header?.trim() ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  // Only the forms of HTTP dates: Date.parse takes much that is none.
  if (!/^[A-Z][a-z]{2,8},? .*\d{2}:\d{2}:\d{2}/.test(text)) return null;
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : Math.max(0, at - now);
}
