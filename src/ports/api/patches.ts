// Wire contract of patches and of atomic operators, and the values of requests whose form the service checks itself.
import { Type, type Static } from 'typebox';
import type { JsonObject, JsonValue } from '../../domain/json/json.js';
import { closed, Json, JsonRecord, Pointer } from './common.js';

/** One operation of a JSON Patch (RFC 6902). Members that the RFC does not define are passed over. */
export const PatchOperation = Type.Union([
  Type.Object({ op: Type.Enum(['add', 'replace', 'test']), path: Pointer, value: Json }),
  Type.Object({ op: Type.Literal('remove'), path: Pointer }),
  Type.Object({ op: Type.Enum(['move', 'copy']), path: Pointer, from: Pointer }),
]);
export type PatchOperation = Static<typeof PatchOperation>;

/** As answers and events hold it. */
export const JsonPatch = Type.Array(PatchOperation, { description: 'JSON Patch (RFC 6902)' });
export type JsonPatch = Static<typeof JsonPatch>;

/** One atomic operator on the document. */
export const Operator = Type.Union([
  Type.Object({ op: Type.Literal('increment'), pointer: Pointer, delta: Type.Number() }, closed),
  Type.Object({ op: Type.Literal('append'), pointer: Pointer, items: Type.Array(Json) }, closed),
  Type.Object({ op: Type.Literal('merge'), pointer: Pointer, patch: JsonRecord }, closed),
  Type.Object({ op: Type.Literal('set'), pointer: Pointer, value: Json }, closed),
  Type.Object({ op: Type.Literal('delete'), pointer: Pointer }, closed),
]);
export type Operator = Static<typeof Operator>;

const RpcId = Type.Union([Type.String(), Type.Integer()]);
/** Of JSON-RPC 2.0: a request, a notification (without `id`), or an answer to a request of the other side. */
const RpcMessage = Type.Object({
  jsonrpc: Type.Literal('2.0'),
  id: Type.Optional(RpcId),
  method: Type.Optional(Type.String()),
  params: Type.Optional(JsonRecord),
  result: Type.Optional(Json),
  error: Type.Optional(JsonRecord),
});
const RpcAnswer = Type.Object({
  jsonrpc: Type.Literal('2.0'),
  id: Type.Optional(Type.Union([RpcId, Type.Null()])),
  result: Type.Optional(Json),
  error: Type.Optional(
    Type.Object({ code: Type.Integer(), message: Type.String(), data: Type.Optional(Json) }),
  ),
});
/** What `/mcp` answers. */
export const JsonRpcAnswer = Type.Union([RpcAnswer, Type.Array(RpcAnswer)]);

/**
 * A value of a request whose form the service checks, so that each interface answers the same: here it may be any JSON
 * value. {@link CHECKED_FORMS} has its form under the title.
 */
function checkedByService(title: keyof typeof CHECKED_FORMS, description: string) {
  return Type.Unsafe<JsonValue>({ title, description });
}

/** What each of these values has to be, for the OpenAPI document; by title, which is the name of the component too. */
export const CHECKED_FORMS = {
  JsonSchema: Type.Unsafe<JsonValue>({
    type: ['object', 'boolean'],
    description: 'JSON Schema of draft-07, 2019-09 or 2020-12, within the bounds of docs/schemas.md',
  }),
  JsonPatch,
  MergePatch: Type.Unsafe<JsonObject>({
    type: 'object',
    additionalProperties: true,
    description: 'Merge patch (RFC 7396): members to set; null removes',
  }),
  Operators: Type.Array(Operator, { description: 'Atomic operators, applied in order: all of them or none' }),
  Document: Type.Unsafe<JsonObject>({
    type: 'object',
    additionalProperties: true,
    description: 'The document of a workflow state',
  }),
  HookInput: Type.Object(
    {
      hook_event_name: Type.Enum([
        'SessionStart',
        'Stop',
        'SubagentStop',
        'PreToolUse',
        'AfterAgent',
        'BeforeTool',
      ]),
      session_id: Type.String({ minLength: 1, maxLength: 128 }),
    },
    {
      additionalProperties: true,
      description: 'The input of a hook, as the client writes it. Members beside these differ by event',
    },
  ),
  JsonRpcMessage: Type.Union([RpcMessage, Type.Array(RpcMessage, { minItems: 1 })], {
    description: 'A message of the Model Context Protocol, or several',
  }),
} as const;

/** A JSON Schema. */
export const jsonSchema = (description: string) => checkedByService('JsonSchema', description);
/** A JSON Patch that is to be applied. */
export const JsonPatchToApply = checkedByService(
  'JsonPatch',
  'JSON Patch (RFC 6902): an array of operations',
);
/** A merge patch that is to be applied to a document. */
export const MergePatchToApply = checkedByService('MergePatch', 'Merge patch (RFC 7396): null removes');
/** Operators that are to be applied. */
export const OperatorsToApply = checkedByService('Operators', 'Operators, each `{op, pointer, …}`');
/** A message to `/mcp`. */
export const JsonRpcMessage = checkedByService('JsonRpcMessage', 'A message of JSON-RPC 2.0');
/** A whole document. */
export const Document = checkedByService('Document', 'The whole document');
