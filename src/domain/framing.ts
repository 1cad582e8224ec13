// The elements that enclose messages of the service, and the escaping that prevents outside text from imitating
// them. The only place that writes such an element.

import { escapeSequences } from './json/json.js';

/** The element names. A model trusts the content of such an element as a message of the service, not of its user. */
export const FRAMES = ['agent-callback', 'state-update-request', 'countersign-session'] as const;

type Frame = (typeof FRAMES)[number];

/** A message in its element. Everything in attributes or body that resembles such an element is escaped. */
export function framed(frame: Frame, attributes: Readonly<Record<string, string>>, body: string): string {
  const attributeTexts = Object.entries(attributes).map(([name, value]) => ` ${name}=${quoted(value)}`);
  return `<${frame}${attributeTexts.join('')}>\n${unframed(body)}\n</${frame}>`;
}

/** An attribute value, quoted and on one line. */
function quoted(value: string): string {
  const escaped = unframed(value)
    .replaceAll('&', '&amp;')
    .replaceAll('"', '&quot;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replace(/\s/g, ' ');
  return `"${escaped}"`;
}

/** Characters that resemble `<`, besides those that NFKD maps to it. */
const ANGLES = '<\u02c2\u1438\u16b2\u2039\u22d6\u2329\u276e\u2770\u27e8\u27ea\u2991\u2993\u29fc\u3008\u300a';

/**
 * Characters that resemble the letters of the names and do not decompose to them: other scripts and their
 * capitals (Cherokee, Greek), letters with a stroke, digits. `l` also stands for `i`, as in `caIIback`.
 */
const ALIKE: Readonly<Record<string, string>> = {
  a: '4\u0430\u03b1\u0251\u1d00\ua4ee\u13aa\u2c65',
  b: '8\u0184\u042c\u044c\u0299\u13cf\u15af\ua4d0\u13f4\u03b2\u0432\u0180\u0253\u0183',
  c: '\u0441\u03f2\u1d04\u0188\ua4da\u13df\u023c\u2ca5',
  d: '\u0501\u1d05\ua4d3\u13a0\u0111\u0257',
  e: '3\u0435\u1d07\u212e\ua4f0\u13ac\u03b5\u0247\u04bd',
  g: '9\u0261\u050d\u0262\ua4d6\u13c0\u01e5\u0260',
  k: '\u043a\u03ba\u1d0b\ua4d7\u13e6\u0199\u2c6a\u049b',
  l: '1i\u0456\u03b9\u0131\u026a\u0269\u04cf\ua4f2\u04c0\u029f\u01c0\ua4e1\u13a5\u0268\u13de\u0142\u019a\u026b\u026d',
  n: '\u0578\u057c\u0274\u043f\u03b7\ua4e0\u03bd\u2c9b\u019e\u0272\u014b',
  o: '0\u043e\u03bf\u1d0f\u0585\ua4f3\u00f8\u0275\u03c3\u2c9f',
  p: '\u0440\u03c1\u1d18\ua4d1\u13e2\u01a5',
  q: '\u051b\u0566\u02a0',
  r: '\u0433\u0280\u1d26\ua4e3\u13a1\u13d2\u024d\u027d',
  s: '5\u0455\ua731\u0573\ua4e2\u13da\u023f\u0282\u057f',
  t: '7\u0442\u03c4\u1d1b\ua4d4\u13a2\u0167\u01ad\u0288\u2ca7',
  u: '\u03c5\u057d\u1d1c\ua4f4\u0289\u028b',
};

/** Maps a look-alike to its letter. The keys are in lower case, as `plain` returns them. */
const LETTERS = new Map(
  Object.entries(ALIKE).flatMap(([latin, alike]) =>
    Array.from(alike, (one): [string, string] => [one.toLowerCase(), latin]),
  ),
);

/** The names in the form in which they are compared: only letters, each replaced by the one that represents it. */
const NAMES = FRAMES.map((name) =>
  Array.from(name.replaceAll('-', ''), (one) => LETTERS.get(one) ?? one).join(''),
);

/** First code points of symbol alphabets (26 letters each) that have no decomposition. */
const SYMBOLS_OF_A = [0x1f150, 0x1f170, 0x1f1e6];

/** Characters of the tag block repeat ASCII. People cannot see them, but a model may read them. */
const TAGS = /[\u{e0020}-\u{e007e}]/u;
const TAGS_START = 0xe0000;

/** Character references: `&lt;`, `&#60;`, `&#x3c;`, with or without the semicolon. */
const REFERENCE = /^&(?:#0*(\d{1,8})|#x0*([0-9a-f]{1,8})|(lt|lang)|[a-z]{2,31});?/i;
const REFERENCE_CHARACTERS_MAX = 40;

/**
 * Escapes everything that resembles the start or end tag of our elements: in other case, with white space,
 * invisible or look-alike characters, or character references. The `<` becomes `\u003c`. In JSON that is the
 * same character; anywhere else it still shows what was there.
 */
export function unframed(text: string): string {
  const safe = withoutOpenings(text, false);
  return TAGS.test(safe) ? withoutOpenings(safe, true) : safe;
}

/** @param readsTags - True if the reader takes tag characters for ASCII; false if it ignores them. */
function withoutOpenings(text: string, readsTags: boolean): string {
  if (!MAY_OPEN.test(text)) return text;
  const { openings, letters } = skeletonOf(text, readsTags);
  let safe = '';
  let done = 0;
  for (const { at, next } of openings) {
    if (!NAMES.some((name) => startsWith(letters, next, name))) continue;
    const opening = String.fromCodePoint(text.codePointAt(at) ?? 0);
    safe += text.slice(done, at) + escapeSequences(opening);
    done = at + opening.length;
  }
  return safe + text.slice(done);
}

/** Anything that may represent `<`: an angle character, a character that NFKD maps to one, or a character reference. */
const MAY_OPEN = new RegExp(`[&\u226e\ufe3d\ufe3f\ufe64\uff1c\u{e003c}${ANGLES}]`, 'u');

interface Skeleton {
  /** Index of each `<`, and the number of letters and digits before it. */
  readonly openings: readonly { readonly at: number; readonly next: number }[];
  /** Only the letters and digits, in the form in which they are compared. */
  readonly letters: readonly string[];
}

function skeletonOf(text: string, readsTags: boolean): Skeleton {
  const openings: { at: number; next: number }[] = [];
  const letters: string[] = [];
  for (let at = 0; at < text.length;) {
    const { read, length } = readAt(text, at, readsTags);
    for (const one of read) {
      if (ANGLES.includes(one)) openings.push({ at, next: letters.length });
      else if (/[\p{L}\p{N}]/u.test(one)) letters.push(LETTERS.get(one) ?? one);
    }
    at += length;
  }
  return { openings, letters };
}

/** The characters at an index as a reader sees them, and the length of their text. */
function readAt(text: string, at: number, readsTags: boolean): { read: string; length: number } {
  if (text[at] === '&') {
    const following = text.slice(at, at + REFERENCE_CHARACTERS_MAX);
    const [found, decimal, hex, angle] = REFERENCE.exec(following) ?? [];
    if (found !== undefined) {
      const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
      if (angle !== undefined) return { read: '<', length: found.length };
      if (Number.isNaN(code)) return { read: '', length: isSign(found) ? found.length : 1 };
      const fits = code <= 0x10ffff;
      return { read: fits ? plain(String.fromCodePoint(code)) : '', length: found.length };
    }
  }
  const one = String.fromCodePoint(text.codePointAt(at) ?? 0);
  const read =
    readsTags && TAGS.test(one) ? String.fromCodePoint((one.codePointAt(0) ?? TAGS_START) - TAGS_START) : one;
  return { read: plain(read), length: one.length };
}

/**
 * A named reference to an invisible character, a space or a punctuation sign, such as `&shy;`, `&zwnj;` or
 * `&hyphen;`. Other names may be words that only follow an ampersand.
 */
function isSign(reference: string): boolean {
  return /^&(shy|zwn?j|zerowidthspace|nobreak|nbsp|hyphen|dash|[nm]dash|lowbar|sol|bsol|tab|newline);?$/i.test(
    reference,
  );
}

/** A character without its marks, in lower case, in its simplest form. */
function plain(one: string): string {
  const code = one.charCodeAt(0);
  if (code < 0x80) return code >= 0x41 && code <= 0x5a ? one.toLowerCase() : one;
  const symbol = one.codePointAt(0) ?? 0;
  const first = SYMBOLS_OF_A.find((start) => symbol >= start && symbol < start + 26);
  if (first !== undefined) return String.fromCharCode(0x61 + symbol - first);
  return one
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[\p{M}\p{Default_Ignorable_Code_Point}]/gu, '');
}

function startsWith(letters: readonly string[], from: number, name: string): boolean {
  for (let index = 0; index < name.length; index += 1)
    if (letters[from + index] !== name[index]) return false;
  return true;
}
