// `oneOf` says that exactly one form fits. A form that fits beside another one makes clients refuse a good answer.
import { describe, expect, it } from 'vitest';
import { document, faultsOf, OPERATIONS, resolved } from './conformity.js';

const NESTED = ['allOf', 'anyOf', 'oneOf'];

/** Every `oneOf` below a place of the document, with where it stands. */
function choicesIn(value: any, place: string): [string, any[]][] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries<any>(value).flatMap(([name, one]) =>
    // What stands in an example is a value, and no schema.
    name === 'examples' || name === 'example'
      ? []
      : [
          ...(name === 'oneOf' && Array.isArray(one) ? [[place, one] as [string, any[]]] : []),
          ...choicesIn(one, `${place}/${name}`),
        ],
  );
}

/** How many forms of each `oneOf` fit the part of an example that it is about, where that is not one. */
function notOne(given: any, value: any, place: string): string[] {
  const schema = resolved(given);
  if (typeof schema !== 'object' || schema === null) return [];
  const fit = (schema.oneOf ?? []).filter((form: any) => faultsOf(form, value).length === 0).length;
  const own = schema.oneOf === undefined || fit === 1 ? [] : [`${place}: ${String(fit)} forms fit`];
  const within = NESTED.flatMap((name) =>
    (schema[name] ?? [])
      .filter((form: any) => faultsOf(form, value).length === 0)
      .flatMap((form: any) => notOne(form, value, place)),
  );
  const below = Array.isArray(value)
    ? value.flatMap((one, index) => notOne(schema.items, one, `${place}/${String(index)}`))
    : typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([name, one]) =>
          notOne(schema.properties?.[name] ?? schema.additionalProperties, one, `${place}/${name}`),
        )
      : [];
  return [...own, ...within, ...below];
}

/** Schemas of bodies and answers with their examples. */
function shown(content: any, place: string): string[] {
  return Object.entries<any>(content ?? {}).flatMap(([type, { schema, examples = {} }]) =>
    Object.values<any>(examples).flatMap(({ value }) => notOne(schema, value, `${place} ${type}`)),
  );
}

describe('oneOf in the OpenAPI document', () => {
  it('has exactly one form for every example', () => {
    const faults = OPERATIONS.flatMap(({ id, spec }) => [
      ...shown(resolved(spec.requestBody)?.content, `${id} body`),
      ...Object.entries<any>(spec.responses).flatMap(([status, answer]) =>
        shown(resolved(answer).content, `${id} ${status}`),
      ),
    ]);
    expect(faults).toEqual([]);
    const hooks = resolved(document.paths['/hooks/{client}'].post.responses['200']).content[
      'application/json'
    ];
    // Each form of this answer is an object that the other one takes too.
    expect(hooks.schema.oneOf).toBeUndefined();
    expect(hooks.schema.anyOf).toHaveLength(2);
  });

  it('is only there where a member tells its forms apart', () => {
    const choices = choicesIn(document, '');
    expect(choices.length).toBeGreaterThan(10);
    for (const [place, forms] of choices) {
      const marks = forms.map(markOf);
      expect(marks, place).not.toContain(undefined);
      expect(new Set(marks).size, place).toBe(marks.length);
    }
  });
});

/** What one form requires, and the others do not have: the code of a problem, the type of a message. */
function markOf(given: any): string | undefined {
  const form = resolved(given);
  if (form.const !== undefined) return JSON.stringify(form.const);
  if (typeof form.type === 'string' && form.properties === undefined) return form.type;
  const parts = [form, ...(form.allOf ?? []).map(resolved)];
  const required = new Set<string>(parts.flatMap((part: any) => part.required ?? []));
  const constants = parts
    .flatMap((part: any) => Object.entries<any>(part.properties ?? {}))
    .filter(([name, one]) => required.has(name) && resolved(one).const !== undefined);
  const [first] = constants;
  return first === undefined ? undefined : `${first[0]}=${JSON.stringify(resolved(first[1]).const)}`;
}
