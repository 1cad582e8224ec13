// Documents of a mebibyte, under schemas of every kind, and many of them.
import { AttackedState, each, list, many, members, text, onState, type Attack } from '../kit.js';

const OBJECTS = () => ({ items: list(45_000, (at) => ({ id: at })) });
const NUMBERED = () => members(60_000, (at) => at);

/** What the document is held against, and the document. */
const SHAPES: readonly (readonly [string, object, () => object])[] = [
  ['uniqueItems of objects', { properties: { items: { uniqueItems: true } } }, OBJECTS],
  [
    'uniqueItems of numbers',
    { properties: { items: { uniqueItems: true, items: { type: 'number' } } } },
    () => ({ items: list(150_000, (at) => at) }),
  ],
  [
    'x-key',
    {
      properties: {
        items: {
          type: 'array',
          'x-key': 'id',
          items: {
            type: 'object',
            required: ['id'],
            properties: { id: { type: 'integer', 'x-immutable': true } },
          },
        },
      },
    },
    OBJECTS,
  ],
  ['x-append-only', { properties: { items: { type: 'array', 'x-append-only': true } } }, OBJECTS],
  [
    'patternProperties',
    { patternProperties: { '^m[0-9]+$': { type: 'integer' }, '7$': { minimum: 0 } } },
    NUMBERED,
  ],
  [
    'oneOf of 20',
    {
      properties: {
        items: {
          items: { oneOf: list(20, (at) => ({ properties: { kind: { const: at } }, required: ['kind'] })) },
        },
      },
    },
    () => ({ items: list(40_000, (at) => ({ kind: at % 20 })) }),
  ],
  ['propertyNames', { propertyNames: { pattern: '^(n|(m|k)[0-9]+)$', maxLength: 20 } }, NUMBERED],
  ['nothing', {}, () => ({ items: list(330_000, () => []) })],
];

/** Ten documents as request bodies. */
const objectTexts = () =>
  list(10, (at) =>
    JSON.stringify({ data: { items: list(20_000, (n) => ({ name: `item ${String(n + at)}` })) } }),
  );

function puts(name: string, states: number, makeTexts: () => readonly string[]): Attack {
  return {
    name,
    async ready(target) {
      const paths: string[] = [];
      await each(states, async () => paths.push((await AttackedState.open(target, { n: 0 })).path));
      const texts = makeTexts();
      return () => many(300, 300, (at) => target.call('PUT', paths[at % states] ?? '', texts[at % 10]));
    },
  };
}

export const documents: readonly Attack[] = [
  ...SHAPES.map(([what, schema, make]) =>
    onState(
      `documents of a mebibyte under ${what}: create, change, replace`,
      () => ({ n: 0 }),
      async (state) => {
        await state.put(make());
        await state.put({ ...make(), n: 2 });
        await state.set('/n', 4);
      },
      { schema: { type: 'object', properties: {}, ...schema } },
    ),
  ),
  puts('300 PUTs of a mebibyte to one state', 1, objectTexts),
  puts('300 PUTs of a mebibyte to 30 states', 30, objectTexts),
  puts('300 PUTs of one text of 900 KB to 30 states', 30, () =>
    list(10, (at) => JSON.stringify({ data: text(at) })),
  ),
];
