// Tools for orchestrators: start children, watch and stop them, wait for the state.
import { Type } from 'typebox';
import { ok, type Result } from '../../domain/errors.js';
import { boundedText } from '../../domain/excerpt.js';
import { isJsonObject, type JsonValue } from '../../domain/json/json.js';
import {
  SessionStatus,
  type CompletionOptions,
  type RunView,
  type SessionView,
} from '../../ports/api/index.js';
import { hasEnded, waitForSession } from '../../ports/session-wait.js';
import { boundedValue } from '../bounded-value.js';
import { ofArguments } from '../failures/of-arguments.js';
import { listedPage } from '../listed-page.js';
import { stateOf } from '../targets.js';
import { ADDS, READS, REPLACES, tool, type ToolOutput, type Tool, type ToolCall } from '../tool.js';
import * as f from './fields.js';

const Session = f.text('Id or name');
const terms = {
  callback: f.maybe(f.flag('Resume you with its outcome when its result is recorded')),
  contract: f.maybe(
    Type.Object(
      { pointer: f.Pointer, schema: Type.Unsafe<JsonValue>({ type: 'object', description: 'JSON Schema' }) },
      {
        additionalProperties: false,
        description: 'What it has to record in the state',
      },
    ),
  ),
  write_scope: f.maybe(Type.Array(f.Text, { description: 'JSON Pointers that it may write under' })),
  await_state: f.maybe(Type.Boolean()),
};

const Started = f.answer({ run_id: f.Text, session_name: f.Text, status: f.Text });

function started(result: Result<RunView>): Result<ToolOutput> {
  if (!result.ok) return ofArguments(result.failure);
  const { run_id, session_id, session_name, status } = result.value;
  return ok({ run_id, session_id, session_name, status });
}

type TermName = 'contract' | 'write_scope' | 'await_state';
type Terms = { readonly [name in TermName]: CompletionOptions[name] | undefined };

function completionOf({ contract, write_scope, await_state }: Terms): { completion?: CompletionOptions } {
  const completion: CompletionOptions = {
    ...(contract && { contract }),
    ...(write_scope && { write_scope }),
    ...(await_state === undefined ? {} : { await_state }),
  };
  return Object.keys(completion).length === 0 ? {} : { completion };
}

const startAgentSession = tool({
  name: 'start_agent_session',
  description:
    'Use to hand a piece of work to a child agent that shares your workflow state. With callback: true end your turn afterwards; you are resumed when it is done.',
  input: f.args({
    prompt: f.text('All that the child has to know'),
    session_name: f.maybe(f.text('Unique name')),
    agent_name: f.maybe(f.Text),
    project_dir: f.maybe(f.Text),
    ...terms,
    state_context: f.maybe(Type.Boolean()),
    state_summary: f.maybe(Type.Boolean()),
    wait_seconds: f.maybe(Type.Number({ minimum: 0, description: 'Wait for its end (max 50)' })),
  }),
  output: f.answer({
    ...Started.properties,
    ended: f.maybe(f.Flag),
  }),
  annotations: ADDS,
  waits: (args) => isJsonObject(args) && args['wait_seconds'] !== undefined,
  example: {
    session_name: 'reviewer-1',
    prompt: 'Review src/a.ts.',
    callback: true,
    contract: { pointer: '/reviews/a', schema: { type: 'object' } },
  },
  run: async ({ contract, write_scope, await_state, wait_seconds: _, ...body }, { service }) =>
    started(
      await service.runs.create({
        type: 'start_session',
        ...body,
        ...completionOf({ contract, write_scope, await_state }),
      }),
    ),
  wait: async ({ wait_seconds }, done, call) =>
    wait_seconds === undefined ? ok(done) : untilEnded(done, wait_seconds, call),
});

/** Returns the child when it has ended or the time is over. The child is started in either case. */
async function untilEnded(done: ToolOutput, seconds: number, call: ToolCall): Promise<Result<ToolOutput>> {
  const { service, limits, waiting, progress } = call;
  const runId = String(done['run_id']);
  const sessionId = String(done['session_id']);
  let stands = 'pending';
  const onLook = ({ status, state_update_status }: SessionView) => {
    stands = state_update_status === 'pending' ? 'recording its result' : status;
  };
  const waitMs = Math.min(Math.round(seconds * 1000), limits.mcpWaitMsMax);
  const waited = await progress.during(
    () => `Waiting for ${String(done['session_name'])}: ${stands}`,
    () => waiting((signal) => waitForSession(service, sessionId, waitMs, runId, { signal, onLook })),
  );
  if (!waited.ok) return ok(done);
  const { status, state_update_status } = waited.value;
  return ok({ ...done, status, ended: hasEnded(waited.value), state_update_status });
}

const resumeAgentSession = tool({
  name: 'resume_agent_session',
  description:
    'Use to give a child session more work, in its own conversation. It queues behind what it does now.',
  input: f.args({ session: Session, prompt: f.Text, ...terms }),
  output: Started,
  annotations: ADDS,
  example: { session: 'reviewer-1', prompt: 'Look at src/b.ts too.', callback: true },
  run: async ({ session, prompt, callback, contract, write_scope, await_state }, { service }) => {
    const found = await service.sessions.get(session);
    if (!found.ok) return found;
    return started(
      await service.runs.create({
        type: 'resume_session',
        session_id: found.value.session_id,
        prompt,
        ...(callback === undefined ? {} : { callback }),
        ...completionOf({ contract, write_scope, await_state }),
      }),
    );
  },
});

/** What models act on. The answer has more: what is declared costs tokens in every conversation. */
const SessionBrief = f.answer({
  session_name: f.Text,
  status: f.Text,
  state_update_status: f.NullableText,
});

function brief(view: SessionView): ToolOutput {
  const { session_id, session_name, status, state_update_status, parent_session_name } = view;
  return { session_id, session_name, status, state_update_status, parent_session_name };
}

const getStatus = tool({
  name: 'get_agent_session_status',
  description:
    'Use to see how far a session is, and whether its result is in the state. Not needed with callback: true.',
  input: f.args({ session: Session }),
  output: f.answer({
    ...SessionBrief.properties,
    attempt: f.Count,
    reason: f.NullableText,
  }),
  annotations: READS,
  example: { session: 'reviewer-1' },
  run: async ({ session }, { service }) => {
    const found = await service.sessions.get(session);
    if (!found.ok) return found;
    const completion = await service.sessions.completion(session);
    if (!completion.ok) return completion;
    const { attempt, max_attempts, reason, attempts } = completion.value;
    const errors = attempts.at(-1)?.errors ?? [];
    return ok({
      ...brief(found.value),
      attempt,
      max_attempts,
      reason,
      ...(errors.length === 0 ? {} : { errors: errors.map((one) => ({ ...one })) }),
    });
  },
});

const getResult = tool({
  name: 'get_agent_session_result',
  description:
    'Use to read what a session said at the end of its work. What it recorded is in the state: state_read.',
  input: f.args({ session: Session, full: f.Full }),
  output: f.answer({
    status: f.Text,
    complete: f.Flag,
    result_text: f.NullableText,
    result_data: f.Any,
  }),
  annotations: READS,
  example: { session: 'reviewer-1' },
  run: async ({ session, full = false }, { service, limits }) => {
    const result = await service.sessions.result(session);
    if (!result.ok) return result;
    const { session_id, status, result_text, result_data } = result.value;
    const bound = full ? Infinity : limits.mcpValueCharactersMax;
    const text = result_text === null ? null : boundedText(result_text, bound);
    const data = boundedValue(result_data, '', bound);
    return ok({
      session_id,
      status,
      complete: text === result_text && data['complete'] === true,
      result_text: text,
      result_data: data['value'] ?? data['outline'] ?? null,
    });
  },
});

const listSessions = tool({
  name: 'list_agent_sessions',
  description: 'Use to find sessions of your tree, or the children of one.',
  input: f.args({
    parent: f.maybe(f.text('Id or name')),
    status: f.maybe(SessionStatus),
    limit: f.maybe(Type.Integer({ minimum: 1, maximum: 100 })),
    cursor: f.maybe(f.text('next_cursor of the page before')),
  }),
  output: f.answer({ sessions: Type.Array(f.AnyObject) }),
  annotations: READS,
  example: { status: 'running' },
  run: async ({ parent, limit = 50, ...query }, { service }) => {
    const listed = await listedPage(() =>
      service.sessions.list({
        ...query,
        limit,
        ...(parent === undefined ? {} : { parent_session: parent }),
      }),
    );
    if (!listed.ok) return listed;
    return ok({ sessions: listed.value.items.map(brief), next_cursor: listed.value.next_cursor });
  },
});

const stopSession = tool({
  name: 'stop_agent_session',
  description: 'Use to end a child session that is no longer needed.',
  input: f.args({ session: Session }),
  output: SessionBrief,
  annotations: REPLACES,
  example: { session: 'reviewer-1' },
  run: async ({ session }, { service }) => {
    const stopped = await service.sessions.stop(session);
    return stopped.ok ? ok(brief(stopped.value)) : stopped;
  },
});

const condition = (description: string) =>
  Type.Unsafe<JsonValue>({ type: ['object', 'string'], description });

const waitForState = tool({
  name: 'wait_for_state',
  description:
    'Use to wait until the state satisfies a JSON Schema. matched: false: the time is over; call again.',
  input: f.args({
    until: condition('JSON Schema of the documents waited for, or verdicts-clear, phase=…'),
    fail_on: f.maybe(condition('The same for documents to give up on')),
    timeout_seconds: f.maybe(Type.Number({ minimum: 0, description: 'Default 25, at most 50' })),
    state_id: f.StateId,
  }),
  output: f.answer({ version: f.Count, matched: f.Flag, failed: f.maybe(f.Flag) }),
  annotations: READS,
  waits: () => true,
  example: { until: { required: ['reviews'] }, timeout_seconds: 25 },
  run: async ({ until, fail_on, timeout_seconds, state_id }, call) => {
    const state = await stateOf(call, state_id);
    if (!state.ok) return state;
    const { mcpWaitMsDefault, mcpWaitMsMax } = call.limits;
    const asked = timeout_seconds === undefined ? mcpWaitMsDefault : Math.round(timeout_seconds * 1000);
    const body = {
      until,
      timeout_ms: Math.min(asked, mcpWaitMsMax),
      ...(fail_on === undefined ? {} : { fail_on }),
    };
    const waited = await call.progress.during(
      () => `Waiting for ${state.value}`,
      () => call.waiting((signal) => call.service.states.wait(state.value, body, signal)),
    );
    if (!waited.ok) return waited;
    const { version, matched, failed } = waited.value;
    return ok({ state_id: state.value, version, matched, ...(failed === undefined ? {} : { failed }) });
  },
});

export const sessionTools: readonly Tool[] = [
  startAgentSession,
  resumeAgentSession,
  getStatus,
  getResult,
  listSessions,
  stopSession,
  waitForState,
];
