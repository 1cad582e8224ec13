// The schemas that the OpenAPI document names: the one table that it and the types of the client are made from.
import { Type, type Static } from 'typebox';
import type { JsonValue } from '../../domain/json.js';
import * as api from './index.js';

/** RFC 6902. Its form is checked by the service, so that each door answers the same. */
export const JsonPatchBody = Type.Unsafe<JsonValue>({
  description: 'JSON Patch (RFC 6902): an array of operations',
  examples: [[{ op: 'replace', path: '/phase', value: 'review' }]],
});

/** RFC 7396. */
export const MergePatchBody = Type.Unsafe<JsonValue>({
  description: 'Merge patch (RFC 7396): members to set; null removes',
  examples: [{ phase: 'review', draft: null }],
});

/** Component names of the OpenAPI document; a schema found anywhere in it becomes a reference. */
export const COMPONENTS = {
  Problem: api.Problem,
  Violation: api.Violation,
  SchemaRegister: api.SchemaRegister,
  Schema: api.SchemaView,
  SchemaList: api.PageOf(api.SchemaView),
  StateCreate: api.StateCreate,
  State: api.StateEnvelope,
  StateWritten: api.StateWritten,
  StateSummary: api.StateSummary,
  StateList: api.PageOf(api.StateSummary),
  StateRead: api.StateRead,
  StateAtPointer: api.StateReadAtPointer,
  StateWait: api.StateWait,
  StateWaited: api.StateWaited,
  StateReplace: api.StateReplace,
  StatePatch: api.StatePatchEnvelope,
  StateOps: api.StateOps,
  StateDiff: api.StateDiff,
  StateRevert: api.StateRevert,
  KeyStateOpen: api.KeyStateOpen,
  Keys: api.KeysView,
  Key: api.KeyView,
  KeyWritten: api.KeyWritten,
  KeyPut: api.KeyPut,
  KeyOperation: api.KeyOperation,
  KeyBatch: api.KeyBatch,
  KeyBatchResult: api.KeyBatchResult,
  KeyEvent: api.KeyEvent,
  KeyEventList: api.KeyEventList,
  KeyEventAppend: api.KeyEventAppend,
  JsonPatch: JsonPatchBody,
  MergePatch: MergePatchBody,
  Event: api.EventView,
  EventList: api.EventList,
  Contract: api.Contract,
  CompletionOptions: api.CompletionOptions,
  SessionCreate: api.SessionCreate,
  SessionCreated: api.SessionCreated,
  Session: api.SessionView,
  SessionList: api.PageOf(api.SessionView),
  SessionTree: api.SessionTree,
  SessionResult: api.SessionResult,
  SessionEvent: api.SessionEvent,
  SessionEventAnswer: api.SessionEventAnswer,
  UpdateRequest: api.UpdateRequest,
  Attempt: api.AttemptView,
  Completion: api.CompletionView,
  Reason: api.Reason,
  Callback: api.CallbackView,
  CallbackList: api.PageOf(api.CallbackView),
  Demands: api.DemandsBody,
  RunCreate: api.RunCreate,
  Run: api.RunView,
  RunList: api.PageOf(api.RunView),
  RunnerRegister: api.RunnerRegister,
  RunnerRegistered: api.RunnerRegistered,
  ClaimedRun: api.ClaimedRun,
  RunnerWork: api.RunnerWork,
  HeldRun: api.Held,
  RunnerHeartbeat: api.RunnerHeartbeat,
  HeartbeatAnswer: api.HeartbeatAnswer,
  RunStarted: api.RunStarted,
  RunCompleted: api.RunCompleted,
  RunFailed: api.RunFailed,
  RunStopped: api.RunStopped,
  Runner: api.RunnerView,
  RunnerList: api.PageOf(api.RunnerView),
  WebhookCreate: api.WebhookCreate,
  WebhookCreated: api.WebhookCreated,
  Webhook: api.WebhookView,
  WebhookList: api.PageOf(api.WebhookView),
  Delivery: api.DeliveryView,
  DeliveryAttempt: api.DeliveryAttemptView,
  DeliveryList: api.PageOf(api.DeliveryView),
  DoctorReport: api.DoctorReport,
  Health: api.Health,
} as const;

/** The type of each schema of the OpenAPI document, by its name there: `Components['Run']`. */
export type Components = { readonly [N in keyof typeof COMPONENTS]: Static<(typeof COMPONENTS)[N]> };
