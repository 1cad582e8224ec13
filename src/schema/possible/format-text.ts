// Example texts for the asserted formats.

const TEXTS: Readonly<Record<string, (n: number) => string>> = {
  'date-time': (n) => `2025-01-01T00:00:${two(n)}Z`,
  date: (n) => `2025-01-${two(1 + (n % 28))}`,
  time: (n) => `00:00:${two(n)}Z`,
  'iso-date-time': (n) => `2025-01-01T00:00:${two(n)}Z`,
  'iso-time': (n) => `00:00:${two(n)}Z`,
  duration: (n) => `PT${String(n + 1)}S`,
  email: (n) => `user${String(n)}@example.com`,
  'idn-email': (n) => `user${String(n)}@example.com`,
  hostname: (n) => `host${String(n)}.example.com`,
  'idn-hostname': (n) => `host${String(n)}.example.com`,
  ipv4: (n) => `192.0.2.${String(n % 256)}`,
  ipv6: (n) => `2001:db8::${(n + 1).toString(16)}`,
  uri: (n) => `https://example.com/${String(n)}`,
  url: (n) => `https://example.com/${String(n)}`,
  'uri-reference': (n) => `/example/${String(n)}`,
  iri: (n) => `https://example.com/${String(n)}`,
  'iri-reference': (n) => `/example/${String(n)}`,
  'uri-template': (n) => `/example/${String(n)}`,
  uuid: (n) => `123e4567-e89b-42d3-a456-${String(n).padStart(12, '0')}`,
  'json-pointer': (n) => `/example/${String(n)}`,
  'json-pointer-uri-fragment': (n) => `#/example/${String(n)}`,
  'relative-json-pointer': (n) => `${String(n)}/example`,
  regex: (n) => `^example${String(n)}$`,
  byte: () => 'ZXhhbXBsZQ==',
};

function two(n: number): string {
  return String(n % 60).padStart(2, '0');
}

/** An example text of a format; `null` if there is none. */
export function formatText(format: string, n: number): string | null {
  return Object.hasOwn(TEXTS, format) ? (TEXTS[format]?.(n) ?? null) : null;
}
