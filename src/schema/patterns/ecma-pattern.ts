// Translates ECMA-262 patterns into RE2 syntax with the same meaning. Classes and escapes are written out,
// because the two differ in what `\s`, `.` and `$` match. Knows syntax only.
import { RegExpParser, type AST } from '@eslint-community/regexpp';
import { CATEGORIES } from './unicode-categories.js';

const parser = new RegExpParser();

/** What `\s` matches, as the content of a class: white space and line terminators of ECMA-262. */
const SPACE =
  '\\t-\\r\\x{20}\\x{A0}\\x{1680}\\x{2000}-\\x{200A}\\x{2028}\\x{2029}\\x{202F}\\x{205F}\\x{3000}\\x{FEFF}';
const NO_SPACE =
  '\\x{0}-\\x{8}\\x{E}-\\x{1F}\\x{21}-\\x{9F}\\x{A1}-\\x{167F}\\x{1681}-\\x{1FFF}\\x{200B}-\\x{2027}' +
  '\\x{202A}-\\x{202E}\\x{2030}-\\x{205E}\\x{2060}-\\x{2FFF}\\x{3001}-\\x{FEFE}\\x{FF00}-\\x{10FFFF}';
const WORD = '0-9A-Z_a-z';
const NO_WORD = '\\x{0}-\\x{2F}\\x{3A}-\\x{40}\\x{5B}-\\x{5E}\\x{60}\\x{7B}-\\x{10FFFF}';
const DIGIT = '0-9';
const NO_DIGIT = '\\x{0}-\\x{2F}\\x{3A}-\\x{10FFFF}';
const ANY = '\\x{0}-\\x{10FFFF}';
const NOTHING = '[^\\x{0}-\\x{10FFFF}]';
const NO_LINE_END = '[^\\n\\r\\x{2028}\\x{2029}]';

/**
 * Translates a pattern for RE2.
 *
 * @throws Error The pattern is not valid ECMA-262, or has no equivalent in RE2.
 */
export function re2Of(pattern: string): string {
  return parsePattern(pattern).alternatives.map(alternative).join('|');
}

/** Parses with the flag `u`. If that rejects a needless escape such as `\@`, parses without the flag. */
export function parsePattern(pattern: string): AST.Pattern {
  try {
    return parser.parsePattern(pattern, 0, pattern.length, { unicode: true });
  } catch (error) {
    const older = olderReading(pattern);
    if (older !== null) return older;
    throw error;
  }
}

/** Parses without the flag `u`. `null` if that could misread letters, digits or surrogates. */
function olderReading(pattern: string): AST.Pattern | null {
  // Escaped letters and digits that are valid with the flag `u` have the same meaning without it.
  if (
    /[\ud800-\udfff]/.test(pattern) ||
    /\\(?:[^\W_dDwWsSbBtnrvfx]|[1-9]|x(?![\da-f]{2}))/i.test(doubled(pattern))
  ) {
    return null;
  }
  try {
    return parser.parsePattern(pattern, 0, pattern.length, { unicode: false });
  } catch {
    return null;
  }
}

/** The pattern without its escaped backslashes. */
function doubled(pattern: string): string {
  return pattern.replaceAll('\\\\', '');
}

function alternative({ elements }: AST.Alternative): string {
  return elements.map(element).join('');
}

function element(node: AST.Element): string {
  switch (node.type) {
    case 'Group':
      if (node.modifiers !== null) throw new Error('flags within a pattern are not supported');
      return `(?:${node.alternatives.map(alternative).join('|')})`;
    case 'CapturingGroup':
      return `(?:${node.alternatives.map(alternative).join('|')})`;
    case 'Quantifier':
      return quantifier(node);
    case 'Assertion':
      return assertion(node);
    case 'Character':
      return codePoint(node.value);
    case 'CharacterSet':
      return node.kind === 'any' ? NO_LINE_END : `[${classMember(node)}]`;
    case 'CharacterClass':
      return characterClass(node);
    case 'Backreference':
      throw new Error(`the backreference ${node.raw} is not supported`);
    case 'ExpressionCharacterClass':
      throw new Error('classes of the flag v are not supported');
  }
}

function quantifier({ element: repeated, min, max }: AST.Quantifier): string {
  const text = `(?:${element(repeated)})`;
  if (max === Infinity) return min === 0 ? `${text}*` : min === 1 ? `${text}+` : `${text}{${String(min)},}`;
  return `${text}{${String(min)},${String(max)}}`;
}

function assertion(node: AST.Assertion): string {
  switch (node.kind) {
    case 'start':
      return '\\A';
    case 'end':
      return '\\z';
    case 'word':
      return node.negate ? '\\B' : '\\b';
    case 'lookahead':
    case 'lookbehind':
      throw new Error(`the ${node.kind} ${node.raw.slice(0, 40)} is not supported`);
  }
}

function characterClass({ negate, elements }: AST.CharacterClass): string {
  if (elements.length === 0) return negate ? `[${ANY}]` : NOTHING;
  const members = elements.map((member) => {
    switch (member.type) {
      case 'Character':
        return codePoint(member.value);
      case 'CharacterClassRange':
        return `${codePoint(member.min.value)}-${codePoint(member.max.value)}`;
      case 'CharacterSet':
        return classMember(member);
      default:
        throw new Error('classes of the flag v are not supported');
    }
  });
  return `[${negate ? '^' : ''}${members.join('')}]`;
}

function classMember(node: AST.EscapeCharacterSet | AST.UnicodePropertyCharacterSet): string {
  switch (node.kind) {
    case 'digit':
      return node.negate ? NO_DIGIT : DIGIT;
    case 'space':
      return node.negate ? NO_SPACE : SPACE;
    case 'word':
      return node.negate ? NO_WORD : WORD;
    case 'property':
      return property(node);
  }
}

function property({ key, value, negate, raw }: AST.UnicodePropertyCharacterSet): string {
  const name = value ?? key;
  const isScript = value !== null && (key === 'Script' || key === 'sc');
  const isCategory = value === null || key === 'General_Category' || key === 'gc';
  const category = isCategory ? CATEGORIES.get(name) : undefined;
  if (name === 'Any' && isCategory) return negate ? '\\P{Any}' : ANY;
  if (name === 'ASCII' && isCategory) return negate ? '\\x{80}-\\x{10FFFF}' : '\\x{0}-\\x{7F}';
  if (category === undefined && !isScript) throw new Error(`the property ${raw} is not supported`);
  return `\\${negate ? 'P' : 'p'}{${category ?? name}}`;
}

function codePoint(value: number): string {
  return `\\x{${value.toString(16).toUpperCase()}}`;
}
