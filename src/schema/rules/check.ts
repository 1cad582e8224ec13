// Checks a change against the rules of a schema. Pure, and linear in what is at and below the locations with rules.
import type { Violation } from '../../domain/errors.js';
import {
  isJsonArray,
  isJsonObject,
  ownMember,
  type JsonObject,
  type JsonValue,
} from '../../domain/json/json.js';
import { formatPointer } from '../../domain/json/pointer.js';
import { excerpt } from '../../domain/json/quoted.js';
import { matchItems } from './items.js';
import { itemNodes, memberNodes, nodesAt, type RuleNode, type RulePlan } from './plan.js';
import { breachesOf, isSet, type Breach } from './breaches.js';

/**
 * Finds the rules that a change violates. Both documents must be valid, except for values that a lenient migration
 * keeps.
 *
 * @param before - The document before the write; `undefined` for the first version of a state, or to check one
 * document.
 * @param violationsMax - Most violations to return; the check stops there.
 * @returns The violations. A pointer is a location in the new document, or in the old one if the location is gone.
 */
export function checkTransitions(
  plan: RulePlan,
  before: JsonObject | undefined,
  after: JsonObject,
  violationsMax: number,
): readonly Violation[] {
  if (plan === null || before === after) return [];
  const check = new Check(violationsMax);
  check.checkLocation([plan], before, after, '');
  return check.violations;
}

type Maybe = JsonValue | undefined;

class Check {
  readonly violations: Violation[] = [];

  constructor(private readonly violationsMax: number) {}

  checkLocation(direct: readonly RuleNode[], before: Maybe, after: Maybe, pointer: string): void {
    if (direct.length === 0 || before === after || this.#full) return;
    const nodes = nodesAt(direct);
    let settled = false;
    for (const { rules, values } of nodes) {
      if (rules === null) continue;
      for (const breach of breachesOf(rules, values, before, after)) this.#add(pointer, breach);
      // An immutable value is compared as a whole.
      settled ||= rules.immutable && isSet(before);
    }
    if (settled) return;
    if (isJsonObject(before) || isJsonObject(after)) {
      this.#members(nodes, objectOf(before), objectOf(after), pointer);
    }
    if (isJsonArray(before) || isJsonArray(after)) {
      this.#items(nodes, arrayOf(before), arrayOf(after), pointer);
    }
  }

  get #full(): boolean {
    return this.violations.length >= this.violationsMax;
  }

  #members(nodes: readonly RuleNode[], before: JsonObject, after: JsonObject, pointer: string): void {
    for (const name of Object.keys(before)) {
      const next = ownMember(after, name);
      if (before[name] !== next) this.#below(memberNodes(nodes, name), before[name], next, pointer, name);
    }
    for (const name of Object.keys(after)) {
      if (!Object.hasOwn(before, name)) {
        this.#below(memberNodes(nodes, name), undefined, after[name], pointer, name);
      }
    }
  }

  #items(
    nodes: readonly RuleNode[],
    before: readonly JsonValue[],
    after: readonly JsonValue[],
    pointer: string,
  ): void {
    for (const node of nodes) {
      const key = node.rules?.key ?? null;
      if (key === null) {
        this.#byPosition(node, before, after, pointer);
        continue;
      }
      const { pairs, twice } = matchItems(before, after, key);
      for (const { index, value } of twice) {
        this.#add(pointer + formatPointer([index, key]), {
          keyword: 'x-key',
          message: `another item has the ${JSON.stringify(key)} ${excerpt(value)} already; it identifies one item only`,
          expected: { 'x-key': key },
        });
      }
      for (const { index, before: was, after: is } of pairs) {
        if (was !== is) this.#below(itemNodes([node], index), was, is, pointer, index);
      }
    }
  }

  #byPosition(
    node: RuleNode,
    before: readonly JsonValue[],
    after: readonly JsonValue[],
    pointer: string,
  ): void {
    if (node.prefix.length === 0 && node.rest === null) return;
    // Existing items are equal, or have already caused a violation.
    const from = node.rules?.appendOnly === true ? before.length : 0;
    for (let index = from; index < Math.max(before.length, after.length); index += 1) {
      const [was, is] = [before[index], after[index]];
      if (was !== is) this.#below(itemNodes([node], index), was, is, pointer, index);
    }
  }

  #below(
    nodes: readonly RuleNode[],
    before: Maybe,
    after: Maybe,
    pointer: string,
    key: string | number,
  ): void {
    if (nodes.length > 0) this.checkLocation(nodes, before, after, pointer + formatPointer([key]));
  }

  #add(pointer: string, breach: Breach): void {
    if (!this.#full) this.violations.push({ pointer, ...breach });
  }
}

const NO_MEMBERS: JsonObject = {};

function objectOf(value: Maybe): JsonObject {
  return isJsonObject(value) ? value : NO_MEMBERS;
}

function arrayOf(value: Maybe): readonly JsonValue[] {
  return isJsonArray(value) ? value : [];
}
