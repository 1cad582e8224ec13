// The elements that messages of the coordinator stand in, and how text from outside is kept from reading like one. The
// only place that writes such an element.

/** Their names. A model takes what stands in one for the coordinator's word, and not for its user's. */
export const FRAMES = ['agent-callback', 'state-update-request', 'countersign-session'] as const;

export type Frame = (typeof FRAMES)[number];

/** A message in its element. Whatever reads like an element of ours in attributes or body is escaped. */
export function framed(frame: Frame, attributes: Readonly<Record<string, string>>, body: string): string {
  const said = Object.entries(attributes).map(([name, value]) => ` ${name}=${quoted(value)}`);
  return `<${frame}${said.join('')}>\n${unframed(body)}\n</${frame}>`;
}

/** A value for an attribute, in quotes and on one line. */
function quoted(value: string): string {
  const escaped = unframed(value)
    .replaceAll('&', '&amp;')
    .replaceAll('"', '&quot;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replace(/\s/g, ' ');
  return `"${escaped}"`;
}

/** Names as they are compared: letters alone. */
const NAMES = FRAMES.map((name) => name.replaceAll('-', ''));

/** What a reader may take for `<`, beside what NFKD makes one. */
const ANGLES = '<\u02c2\u1438\u16b2\u2039\u22d6\u2329\u276e\u2770\u27e8\u27ea\u2991\u2993\u29fc\u3008\u300a';

/** Letters of other scripts that look like those of the names, which have no decomposition to them. */
const ALIKE: Readonly<Record<string, string>> = {
  a: '\u0430\u03b1\u0251\u1d00\ua4ee',
  b: '\u0184\u042c\u044c\u0299\u13cf\u15af\ua4d0',
  c: '\u0441\u03f2\u1d04\u0188\ua4da',
  d: '\u0501\u1d05\ua4d3',
  e: '\u0435\u1d07\u212e\ua4f0',
  g: '\u0261\u050d\u0262\ua4d6',
  i: '\u0456\u03b9\u0131\u026a\u0269\u04cf\ua4f2',
  k: '\u043a\u03ba\u1d0b\ua4d7',
  l: '\u04c0\u029f\u01c0\ua4e1',
  n: '\u0578\u057c\u0274\u043f\u03b7\ua4e0',
  o: '\u043e\u03bf\u1d0f\u0585\ua4f3',
  p: '\u0440\u03c1\u1d18\ua4d1',
  q: '\u051b\u0566',
  r: '\u0433\u0280\u1d26\ua4e3',
  s: '\u0455\ua731\u0573\ua4e2',
  t: '\u0442\u03c4\u1d1b\ua4d4',
  u: '\u03c5\u057d\u1d1c\ua4f4',
};

const LETTERS = new Map(
  Object.entries(ALIKE).flatMap(([latin, alike]) =>
    Array.from(alike, (one): [string, string] => [one, latin]),
  ),
);

/** Character references: `&lt;`, `&#60;`, `&#x3c;`, with or without their end. */
const REFERENCE = /^&(?:#(\d{1,8})|#x([0-9a-f]{1,8})|(lt|lang)|[a-z]{2,31});?/i;
const REFERENCE_CHARACTERS_MAX = 40;

/**
 * The text, in which nothing reads like the beginning or the end of an element of ours: not with other case, white space,
 * invisible or look-alike characters, or character references. Where something does, its `<` is written `\u003c`, which is
 * the same character in JSON and says what stood there everywhere else.
 */
export function unframed(text: string): string {
  if (!MAY_OPEN.test(text)) return text;
  const { openings, letters } = skeletonOf(text);
  let safe = '';
  let done = 0;
  for (const { at, next } of openings) {
    if (!NAMES.some((name) => startsWith(letters, next, name))) continue;
    safe += text.slice(done, at) + escaped(text.charCodeAt(at));
    done = at + 1;
  }
  return safe + text.slice(done);
}

function escaped(code: number): string {
  return `\\u${code.toString(16).padStart(4, '0')}`;
}

/** Whatever may stand for `<`: an angle, what NFKD makes one, or a character reference. */
const MAY_OPEN = new RegExp(`[&\u226e\ufe3d\ufe3f\ufe64\uff1c${ANGLES}]`, 'u');

interface Skeleton {
  /** Where a `<` stands, and how many letters and digits stand before it. */
  readonly openings: readonly { readonly at: number; readonly next: number }[];
  /** Letters and digits alone, as they are compared. */
  readonly letters: readonly string[];
}

function skeletonOf(text: string): Skeleton {
  const openings: { at: number; next: number }[] = [];
  const letters: string[] = [];
  for (let at = 0; at < text.length;) {
    const { read, length } = readAt(text, at);
    for (const one of read) {
      if (ANGLES.includes(one)) openings.push({ at, next: letters.length });
      else if (/[\p{L}\p{N}]/u.test(one)) letters.push(LETTERS.get(one) ?? one);
    }
    at += length;
  }
  return { openings, letters };
}

/** What stands at a place as a reader takes it, and how long it is there. */
function readAt(text: string, at: number): { read: string; length: number } {
  if (text[at] === '&') {
    const ahead = text.slice(at, at + REFERENCE_CHARACTERS_MAX);
    const [found, decimal, hex, angle] = REFERENCE.exec(ahead) ?? [];
    if (found !== undefined) {
      const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
      if (angle !== undefined) return { read: '<', length: found.length };
      if (Number.isNaN(code)) return { read: '', length: isSign(found) ? found.length : 1 };
      const fits = code <= 0x10ffff;
      return { read: fits ? plain(String.fromCodePoint(code)) : '', length: found.length };
    }
  }
  const one = String.fromCodePoint(text.codePointAt(at) ?? 0);
  return { read: plain(one), length: one.length };
}

/** A named reference to a sign, such as `&shy;`, `&zwnj;` or `&hyphen;`; other words may only follow an ampersand. */
function isSign(reference: string): boolean {
  return /^&(shy|zwn?j|zerowidthspace|nobreak|nbsp|hyphen|dash|[nm]dash|lowbar|sol|bsol|tab|newline);?$/i.test(
    reference,
  );
}

/** A character without its marks, in lower case, in its plainest form. */
function plain(one: string): string {
  const code = one.charCodeAt(0);
  if (code < 0x80) return code >= 0x41 && code <= 0x5a ? one.toLowerCase() : one;
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
