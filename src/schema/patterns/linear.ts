// Which patterns the platform's own engine, which backtracks, matches in linear time too.
import type { AST } from '@eslint-community/regexpp';

/**
 * True for a sequence of characters and classes of which at most one can match at more than one place or length: at the
 * start, unless the pattern begins with `^`, or as often as its quantifier allows. The engine then tries each of these once,
 * and looks no further than the sequence is long.
 */
export function isLinear({ alternatives: [sequence, ...others] }: AST.Pattern): boolean {
  if (sequence === undefined || others.length > 0) return false;
  const { elements } = sequence;
  if (!elements.every(isSimple)) return false;
  const [first] = elements;
  const isAnchored = first?.type === 'Assertion' && first.kind === 'start';
  return elements.filter(isOpen).length + (isAnchored ? 0 : 1) <= 1;
}

function isSimple(node: AST.Element): boolean {
  switch (node.type) {
    case 'Character':
    case 'CharacterSet':
    case 'CharacterClass':
      return true;
    case 'Assertion':
      return node.kind === 'start' || node.kind === 'end';
    case 'Quantifier':
      return node.element.type !== 'Assertion' && isSimple(node.element);
    default:
      return false;
  }
}

const isOpen = (node: AST.Element) => node.type === 'Quantifier' && node.min !== node.max;
