// Generators shared by the property tests of this folder, and deep freezing, which makes a mutation throw.
import fc from 'fast-check';
import fastJsonPatch from 'fast-json-patch';
import type { JsonObject, JsonValue } from '../../src/domain/json/json.js';

export function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const child of Object.values(value)) deepFreeze(child);
  }
  return value;
}

const name = fc.constantFrom('a', 'b', 'c', '', '~', '/', '0', '-', 'toString');

/** JSON with few different names, so that documents overlap. */
export const { jsonValue } = fc.letrec<{ jsonValue: JsonValue }>((tie) => ({
  jsonValue: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom<JsonValue>(null, true, 0, 1, -1.5, '', 'x', 'é"\n'),
    fc.array(tie('jsonValue'), { maxLength: 4 }),
    fc.dictionary(name, tie('jsonValue'), { maxKeys: 4, noNullPrototype: true }),
  ),
}));

export const jsonObject: fc.Arbitrary<JsonObject> = fc.dictionary(name, jsonValue, {
  maxKeys: 5,
  noNullPrototype: true,
});

function places(value: JsonValue, at = ''): string[] {
  if (typeof value !== 'object' || value === null) return [at];
  const children = Object.entries(value).flatMap(([key, child]) =>
    places(child, `${at}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`),
  );
  return [at, ...children];
}

/** Patches that apply to `document`: steps drawn one after the other against the document as it then is. */
export function patchFor(document: JsonObject): fc.Arbitrary<JsonValue[]> {
  const step = fc.record({
    op: fc.constantFrom('add', 'append', 'remove', 'replace', 'move', 'copy', 'test'),
    where: fc.nat(),
    other: fc.nat(),
    value: jsonValue,
  });
  return fc.array(step, { maxLength: 8 }).map((drawn) => {
    let current: JsonValue = structuredClone(document);
    const operations: JsonValue[] = [];
    for (const { op, where, other, value: added } of drawn) {
      const all = places(current).slice(1);
      const path = all[where % all.length] ?? '/new';
      const from = all[other % all.length] ?? '';
      const operation =
        op === 'append'
          ? { op: 'add', path: `${path}/-`, value: added }
          : op === 'move' || op === 'copy'
            ? { op, from, path }
            : op === 'remove'
              ? { op, path }
              : { op, path, value: added };
      // Of indices the reference takes the empty one for an integer. No place of an array has it, but items that a move
      // brings to another index may be arrays where there were objects.
      if (op === 'move' && (path.startsWith(`${from}/`) || path.endsWith('/'))) continue;
      try {
        // The reference checks the target of a move before the removal; taken apart, it checks it after.
        const value: JsonValue = fastJsonPatch.getValueByPointer(current, from);
        const steps =
          op === 'move'
            ? [
                { op: 'remove', path: from },
                { op: 'add', path, value },
              ]
            : [operation];
        const next: { newDocument: JsonValue } = fastJsonPatch.applyPatch(
          structuredClone(current),
          structuredClone(steps) as never,
          true,
        );
        current = structuredClone(next.newDocument);
        operations.push(operation);
      } catch {
        // Not applicable here: leave it out.
      }
    }
    return operations;
  });
}
