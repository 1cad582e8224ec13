// Builds a text that may match a pattern, by the shortest path through its syntax. The caller must check the match.
import type { AST } from '@eslint-community/regexpp';
import { parsePattern } from '../patterns/ecma-pattern.js';
import { compilePattern } from '../patterns/pattern.js';

/** Characters to try for a negated class. */
const CHARACTERS = ['a', '0', 'A', '-', '_', ' ', '.', '~', '\n', 'é'];
const REPETITIONS_MAX = 256;

/**
 * @param more - Repetitions beyond the minimum, where the pattern allows them.
 * @param seed - Different numbers give different texts where that is easy.
 * @returns `null` if the pattern cannot be parsed, or the text would be too long.
 */
export function patternText(pattern: string, more: number, seed: number): string | null {
  try {
    const ways = parsePattern(pattern).alternatives;
    const way = ways[seed % ways.length];
    return way === undefined ? null : new Sampler(more, seed).alternative(way);
  } catch {
    return null;
  }
}

class Sampler {
  constructor(
    private readonly more: number,
    private readonly seed: number,
  ) {}

  alternative({ elements }: AST.Alternative): string {
    return elements.map((one) => this.#element(one)).join('');
  }

  #element(node: AST.Element): string {
    switch (node.type) {
      case 'Group':
      case 'CapturingGroup': {
        const [first] = node.alternatives;
        return first === undefined ? '' : this.alternative(first);
      }
      case 'Quantifier': {
        const times = Math.min(node.max, node.min + this.more, Math.max(node.min, REPETITIONS_MAX));
        if (times > REPETITIONS_MAX) throw new Error('too long for an example');
        return this.#element(node.element).repeat(times);
      }
      case 'Character':
        return String.fromCodePoint(node.value);
      case 'CharacterSet':
      case 'CharacterClass':
        return this.#oneOf(node);
      default:
        return '';
    }
  }

  #oneOf(node: AST.CharacterSet | AST.CharacterClass): string {
    if (node.type === 'CharacterClass' && !node.negate) {
      for (const member of node.elements) {
        if (member.type === 'Character') return String.fromCodePoint(member.value);
        if (member.type !== 'CharacterClassRange') continue;
        const { min, max } = member;
        return String.fromCodePoint(min.value + (this.seed % (max.value - min.value + 1)));
      }
    }
    if (node.type === 'CharacterSet' && node.kind === 'digit' && !node.negate) return String(this.seed % 10);
    const one = compilePattern(`^(?:${node.raw})$`);
    return CHARACTERS.find((character) => one.test(character)) ?? '';
  }
}
