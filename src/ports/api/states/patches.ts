// Wire contract of patches and atomic operators, and of request values whose form the service itself checks.
import { Type, type Static } from 'typebox';
import type { JsonObject, JsonValue } from '../../../domain/json/json.js';
import { closed, Json, JsonRecord, Pointer } from '../common.js';

/** One operation of a JSON Patch (RFC 6902). Members that the RFC does not define are ignored. */
export const PatchOperation = Type.Union([
  Type.Object({ op: Type.Enum(['add', 'replace', 'test']), path: Pointer, value: Json }),
  Type.Object({ op: Type.Literal('remove'), path: Pointer }),
  Type.Object({ op: Type.Enum(['move', 'copy']), path: Pointer, from: Pointer }),
]);
export type PatchOperation = Static<typeof PatchOperation>;

/** A JSON Patch in replies and events. */
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
/** A JSON-RPC 2.0 message: a request, a notification (without `id`), or a response to the other side's request. */
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
/** The reply of `/mcp`. */
export const JsonRpcAnswer = Type.Union([RpcAnswer, Type.Array(RpcAnswer)]);

/**
 * A request value whose form the service checks, so that all interfaces reply the same. Here it may be any
 * JSON value; {@link CHECKED_FORMS} has its form under the title.
 */
function checkedByService(title: keyof typeof CHECKED_FORMS, description: string) {
  return Type.Unsafe<JsonValue>({ title, description });
}

/** The words for conditions on the workflow record. */
const WORDS = [
  'verdicts-clear',
  'verdicts-blocked',
  'phase=planning',
  'phase=implementation',
  'phase=validation',
  'phase=complete',
] as const;

/** The required form of each such value, for the OpenAPI document. The key is the schema's title and component name. */
export const CHECKED_FORMS = {
  // Admission refuses boolean schemas.
  JsonSchema: Type.Unsafe<JsonObject>({
    type: 'object',
    additionalProperties: true,
    description: 'JSON Schema of draft-07, 2019-09 or 2020-12, within the bounds of docs/schemas.md',
  }),
  Condition: Type.Unsafe<JsonObject | (typeof WORDS)[number]>({
    anyOf: [
      {
        title: 'JsonSchema',
        type: 'object',
        additionalProperties: true,
        description: 'JSON Schema of draft-07, 2019-09 or 2020-12',
      },
      {
        enum: [...WORDS],
        description: 'A condition on the workflow record, see docs/workflow.md',
      },
    ],
    description: 'JSON Schema of documents, or a word for a condition on the workflow record',
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
/** A JSON Schema of documents, or a word. */
export const condition = (description: string) => checkedByService('Condition', description);
/** A JSON Patch to apply. */
export const JsonPatchToApply = checkedByService(
  'JsonPatch',
  'JSON Patch (RFC 6902): an array of operations',
);
/** A merge patch to apply to a document. */
export const MergePatchToApply = checkedByService('MergePatch', 'Merge patch (RFC 7396): null removes');
/** Operators to apply. */
export const OperatorsToApply = checkedByService('Operators', 'Operators, each `{op, pointer, …}`');
/** A message to `/mcp`. */
export const JsonRpcMessage = checkedByService('JsonRpcMessage', 'A message of JSON-RPC 2.0');
/** A whole document. */
export const Document = checkedByService('Document', 'The whole document');
