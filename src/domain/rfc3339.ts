// Times as texts (RFC 3339).

/** The seconds of a leap second, and their fraction. */
const LEAP_SECOND = /^(.{16}):60(?:\.[0-9]+)?/s;

/**
 * The time that a text means.
 *
 * @returns Milliseconds since 1970. A leap second, which no such number stands for, is the second after it. `null` if
 *   the text is no time.
 */
export function timeOf(text: string): number | null {
  const leap = LEAP_SECOND.test(text);
  const time = Date.parse(leap ? text.replace(LEAP_SECOND, '$1:59') : text);
  if (Number.isNaN(time)) return null;
  return leap ? time + 1000 : time;
}
