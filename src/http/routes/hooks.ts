// `POST /hooks/{client}`: agent CLIs call it directly as a hook, without a script. Input and reply have the
// client's own form.
import { Type } from 'typebox';
import { hookOf } from '../../agent-clients/hooks/input.js';
import { agentClient, AGENT_CLIENT_NAMES, type AgentClientName } from '../../agent-clients/index.js';
import { ok, invalidMember, type Result } from '../../domain/errors.js';
import type { HookResult } from '../../domain/hooks/result.js';
import type { JsonObject } from '../../domain/json/json.js';
import { closed, HookAnswer, HookInput, HookQuery, HookVerdictView } from '../../ports/api/index.js';
import type { HookOptions } from '../../ports/hook-service.js';
import { gateDenial } from './shared/closed-gate.js';
import { answered } from '../replies/reply.js';
import { endpoint, type CallerCall } from '../endpoint.js';
import type { Route } from '../route.js';
import { parseWaitMs } from '../requests/wait.js';

type HookCall = CallerCall<{ client: AgentClientName }, HookQuery>;

const clientName = Type.Unsafe<AgentClientName>({
  type: 'string',
  pattern: `^(${AGENT_CLIENT_NAMES.join('|')})$`,
});

function listed(text: string | undefined): readonly string[] | undefined {
  return text?.split(',').map((one) => one.trim());
}

function optionsOf({ query, context }: HookCall, waitMs: number, signal: AbortSignal): HookOptions {
  return {
    session: query.session,
    refusalsMax: query.refusals_max,
    waitMs,
    agents: listed(query.agents),
    invocation: query.invocation,
    wake: query.wake,
    heard: query.heard,
    awaited: query.awaited,
    within: listed(query.within),
    url: query.url ?? `http://${context.inbound.host ?? 'localhost'}`,
    signal,
  };
}

function resultOf(call: HookCall, input: JsonObject): Promise<Result<HookResult>> {
  const { service, actor, params, query, context } = call;
  return context.waiting(actor, async (signal) => {
    const waitMs = parseWaitMs(query.wait, context.server.limits.waitMsMax);
    const first = await service.hooks.answer(params.client, input, optionsOf(call, waitMs, signal));
    if (query.form === 'verdict' || signal.aborted) return first;
    if (!first.ok || first.value.verdict !== 'waiting') return first;
    // A client asks only once per stop, so a wait that ends without callbacks is followed by a final request
    // without a wait.
    return service.hooks.answer(params.client, input, optionsOf(call, 0, signal));
  });
}

async function answerHook(call: HookCall, input: JsonObject) {
  const { hooks } = agentClient(call.params.client);
  const name = input['hook_event_name'];
  const hook = typeof name === 'string' ? hookOf(hooks, name) : null;
  if (call.query.event !== undefined && call.query.event !== hook) {
    const expected = hooks.events[call.query.event] ?? 'another event';
    return invalidMember('/hook_event_name', `is not what ?event=${call.query.event} says`, expected);
  }
  const result = await resultOf(call, input);
  if (call.query.form === 'verdict') return answered(200, result);
  if (!result.ok) {
    return hook === 'pre-tool-use' ? ok(gateDenial(hooks, result.failure)) : result;
  }
  return answered(200, ok(hooks.answer(hook ?? 'stop', result.value)));
}

export const hookRoutes: readonly Route[] = [
  endpoint({
    method: 'POST',
    path: '/hooks/{client}',
    operationId: 'answerHook',
    summary: 'Answer a hook of an agent CLI, in its own form (docs/hooks.md)',
    tag: 'Hooks',
    params: Type.Object({ client: clientName }, closed),
    query: HookQuery,
    answers: {
      200: {
        description:
          "The answer in the client's form; with `form=verdict` what it comes to. With `event=pre-tool-use` a refusal is answered so too, as a denial",
        anyOf: [HookAnswer, HookVerdictView],
      },
    },
    errors: ['session_not_found', 'session_exists', 'limit_exceeded'],
    // No idempotency record: a repeated stop has a shorter wait, so its content differs; and a reply may contain
    // a token, which must not be stored.
    keyed: false,
  }).json(HookInput, answerHook),
];
