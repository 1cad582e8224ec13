// Parses the header `Retry-After` (RFC 9110, section 10.2.3): seconds or a date.

type Header = string | null | undefined;

/**
 * @param sent - The header `Date` of the same answer. A date counts from it: the two sides may have different clocks.
 * @param now - The time here, for an answer without `Date`.
 * @returns Milliseconds from now, at least 0; `null` if the header is absent or malformed.
 */
export function retryAfterMs(header: Header, sent: Header, now: number): number | null {
  const text = header?.trim() ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  const at = httpDate(text);
  return at === null ? null : Math.max(0, at - (httpDate(sent) ?? now));
}

/** Accepts only HTTP dates: `Date.parse` accepts many other formats. */
function httpDate(header: Header): number | null {
  const text = header?.trim() ?? '';
  if (!/^[A-Z][a-z]{2,8},? .*\d{2}:\d{2}:\d{2}/.test(text)) return null;
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : at;
}
