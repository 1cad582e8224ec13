// Validates the arguments of a call against the tool's input schema. The MCP server does this itself, so that the
// failure has the format of every other one: location, what was wrong, what is expected.
import type { Static, TObject, TProperties } from 'typebox';
import type { Validator } from 'typebox/compile';
import { ok, fail, type Result, type Violation } from '../domain/errors.js';
import type { JsonValue } from '../domain/json/json.js';
import { formatPointer } from '../domain/json/pointer.js';

const VIOLATIONS_MAX = 5;

/** @returns The arguments; or `invalid_request` with the locations that are wrong. */
export function checkArguments<I extends TObject>(
  validator: Validator<TProperties, I>,
  args: unknown,
): Result<Static<I>> {
  const value = args ?? {};
  if (validator.Check(value)) return ok(value);
  const errors = violationsOf(validator.Type(), validator.Errors(value));
  return fail('invalid_request', 'The arguments are not of the expected form.', { errors });
}

function violationsOf(schema: TObject, all: ReturnType<Validator['Errors']>): Violation[] {
  const known = Object.keys(schema.properties);
  const found = all.flatMap(({ keyword, instancePath, message, params }): Violation[] => {
    const names = (members: unknown) => (Array.isArray(members) ? members.map(String) : []);
    if (keyword === 'required' && 'requiredProperties' in params) {
      return names(params.requiredProperties).map((name) => ({
        pointer: instancePath + formatPointer([name]),
        keyword,
        message: 'is missing',
        expected: wantedOf(schema, instancePath + formatPointer([name])),
      }));
    }
    if (keyword === 'additionalProperties' && 'additionalProperties' in params) {
      return names(params.additionalProperties)
        .map((name) => instancePath + formatPointer([name]))
        .filter((pointer) => !all.some((error) => isWithin(error, pointer)))
        .map((pointer) => ({
          pointer,
          keyword,
          message: 'is not an argument of this tool',
          expected: instancePath === '' ? { properties: known } : 'another name',
        }));
    }
    return [{ pointer: instancePath, keyword, message, expected: wantedOf(schema, instancePath) }];
  });
  // For an unknown member TypeBox reports a second error: its `false` schema rejects everything.
  return found.filter(({ keyword }) => keyword !== 'boolean').slice(0, VIOLATIONS_MAX);
}

/** True if an error says what is wrong with the value at a pointer: its name may be any, and its value is refused. */
function isWithin({ keyword, instancePath }: { keyword: string; instancePath: string }, pointer: string) {
  return keyword !== 'boolean' && `${instancePath}/`.startsWith(`${pointer}/`);
}

/** What the schema expects at one top-level argument. */
function wantedOf(schema: TObject, pointer: string): JsonValue {
  const [, name = ''] = pointer.split('/');
  const declared: unknown = Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined;
  return typeof declared === 'object' && declared !== null
    ? (JSON.parse(JSON.stringify(declared)) as JsonValue)
    : 'an object with the arguments';
}
