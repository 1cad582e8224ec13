// Finds the member that identifies the items of an array.
import { parseArrayIndex, parsePointer } from '../../domain/json/pointer.js';
import { itemNodes, memberNodes, nodesAt, type RuleNode, type RulePlan } from './plan.js';

/**
 * The `x-key` of the array at a location.
 *
 * @param pointer - Location in a document (RFC 6901). Array items on the way may have any index.
 * @returns The member's name; `null` if items are identified by position.
 */
export function itemKeyAt(plan: RulePlan, pointer: string): string | null {
  const segments = parsePointer(pointer);
  if (plan === null || segments === null) return null;
  let nodes = nodesAt([plan]);
  for (const segment of segments) {
    nodes = nodesAt(below(nodes, segment));
    if (nodes.length === 0) return null;
  }
  return nodes.find((node) => node.rules !== null && node.rules.key !== null)?.rules?.key ?? null;
}

/** A segment alone can name a member or an item: both are followed. */
function below(nodes: readonly RuleNode[], segment: string): readonly RuleNode[] {
  const index = parseArrayIndex(segment);
  const items = index === null ? [] : itemNodes(nodes, index);
  return [...new Set([...memberNodes(nodes, segment), ...items])];
}
