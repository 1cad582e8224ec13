// Parses the header `Retry-After` (RFC 9110, section 10.2.3): seconds or a date.

/** @returns Milliseconds from now, at least 0; `null` if the header is absent or malformed. */
export function retryAfterMs(header: string | null | undefined, now: number): number | null {
  const text = header?.trim() ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  // Accept only HTTP dates: Date.parse accepts many other formats.
  if (!/^[A-Z][a-z]{2,8},? .*\d{2}:\d{2}:\d{2}/.test(text)) return null;
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : Math.max(0, at - now);
}
