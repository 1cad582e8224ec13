// The asserted formats. Those of the specification follow their RFCs; the others are those of ajv-formats.
import {
  isDuration,
  isEmail,
  isHostname,
  isIPv4,
  isIPv6,
  isJsonPointer,
  isRegex,
  isRelativeJsonPointer,
  isUri,
  isUriReference,
  isUriTemplate,
  isUuid,
} from '@hyperjump/json-schema-formats';
import type AjvCore from 'ajv/dist/core.js';
import formats from 'ajv-formats';
import { fullFormats } from 'ajv-formats/dist/formats.js';
import idn from 'idn-hostname';
import { isDateTime, isTime } from './times.js';

function holds(test: () => boolean): boolean {
  try {
    return test();
  } catch {
    return false;
  }
}

const OWN: Readonly<Record<string, (text: string) => boolean>> = {
  'date-time': isDateTime,
  duration: isDuration,
  // It throws on an address literal with a tag that no standard defines.
  email: (text) => holds(() => isEmail(text)),
  // Labels of RFC 5891 (`xn--…`) must be decodable.
  hostname: (text) => isHostname(text) && holds(() => idn.isIdnHostname(text)),
  ipv4: isIPv4,
  ipv6: isIPv6,
  'json-pointer': isJsonPointer,
  regex: isRegex,
  'relative-json-pointer': isRelativeJsonPointer,
  time: isTime,
  uri: isUri,
  'uri-reference': isUriReference,
  'uri-template': isUriTemplate,
  uuid: isUuid,
};

/** The names of all known formats. */
export const FORMATS: readonly string[] = [
  ...new Set([...Object.keys(fullFormats), ...Object.keys(OWN)]),
].sort();

/** Adds the formats to an Ajv instance. */
export function addFormats(ajv: AjvCore.default): void {
  formats.default(ajv, { mode: 'full' });
  for (const [name, validate] of Object.entries(OWN)) ajv.addFormat(name, { type: 'string', validate });
}
