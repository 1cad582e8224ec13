// The formats that are asserted. Those of the specification are held to their RFCs; the rest are those of ajv-formats.
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
  // An address literal with a tag that no standard knows makes it throw.
  email: (text) => holds(() => isEmail(text)),
  // With labels of RFC 5891 (`xn--…`) that can be decoded.
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

/** The names of all formats that are known. */
export const FORMATS: readonly string[] = [
  ...new Set([...Object.keys(fullFormats), ...Object.keys(OWN)]),
].sort();

/** Adds them to an Ajv. */
export function addFormats(ajv: AjvCore.default): void {
  formats.default(ajv, { mode: 'full' });
  for (const [name, validate] of Object.entries(OWN)) ajv.addFormat(name, { type: 'string', validate });
}
