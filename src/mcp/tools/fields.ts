// Arguments and result members that several tools share, each described once.
import { Type, type TProperties } from 'typebox';
import type { JsonObject, JsonValue } from '../../domain/json/json.js';

/** The arguments of a tool: flat, no others allowed. */
export const args = <P extends TProperties>(properties: P) =>
  Type.Object(properties, { additionalProperties: false });
/** The result of a tool; members may be added later. */
export const answer = <P extends TProperties>(properties: P) => Type.Object(properties);
export const maybe = Type.Optional;

export const Any = Type.Unsafe<JsonValue>({});
export const AnyObject = Type.Unsafe<JsonObject>({ type: 'object' });
export const Text = Type.String();
export const NullableText = Type.Unsafe<string | null>({ type: ['string', 'null'] });
export const Count = Type.Integer();
export const Flag = Type.Boolean();

export const text = (description: string) => Type.String({ description });
export const count = (description: string) => Type.Integer({ minimum: 1, description });
export const flag = (description: string) => Type.Boolean({ description });
export const value = (description: string) => Type.Unsafe<JsonValue>({ description });

export const StateId = maybe(text('Default: the state of your session'));
export const Pointer = Type.String({
  pattern: '^(/([^~/]|~[01])*)*$',
  description: 'JSON Pointer such as /tasks/0',
});
export const BaseVersion = maybe(count('Version your change is made on; default: the one you last read'));
export const DryRun = maybe(flag('Only validate'));
export const Full = maybe(flag('All of it, whatever its size'));

/** A value, or its outline if it is too large. */
export const boundedValue = {
  complete: Flag,
  value: maybe(Any),
  outline: maybe(Text),
  read_next: maybe(Type.Array(Text)),
};

/** The result of a write. It may hold more, such as warnings: what is declared here costs every model its tokens. */
export const Written = answer({ version: Count, changed: Flag, merged: maybe(Flag) });
