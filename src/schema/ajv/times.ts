// `time` and `date-time` of RFC 3339, section 5.6, with leap seconds at the end of any UTC day.
import { isDate } from '@hyperjump/json-schema-formats';

const TIME = /^([01]\d|2[0-3]):([0-5]\d):([0-5]\d|60)(?:\.\d+)?(?:z|([+-])([01]\d|2[0-3]):([0-5]\d))$/i;
const DAY_MINUTES = 24 * 60;
/** How nearly all times are written: in UTC, on a day that every month has. One look tells that they are right. */
const USUAL = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?Z$/;

/** True for a time with its offset from UTC, such as `08:30:00Z` or `08:30:00.5+01:00`. */
export function isTime(text: string): boolean {
  const [whole, hours, minutes, seconds, sign, offsetHours = '0', offsetMinutes = '0'] =
    TIME.exec(text) ?? [];
  if (whole === undefined) return false;
  if (seconds !== '60') return true;
  const offset = Number(offsetHours) * 60 + Number(offsetMinutes);
  const utc = Number(hours) * 60 + Number(minutes) + (sign === '-' ? offset : -offset);
  return (utc + DAY_MINUTES) % DAY_MINUTES === DAY_MINUTES - 1;
}

/** True for a date, `T`, and a time. */
export function isDateTime(text: string): boolean {
  return (
    USUAL.test(text) ||
    (isDate(text.slice(0, 10)) && /^t$/i.test(text.slice(10, 11)) && isTime(text.slice(11)))
  );
}
