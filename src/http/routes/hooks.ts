// `POST /hooks/{client}`: hooks of agent CLIs, answered without a script between. Input and answer are the client's own.
import { accepted, type Outcome, type Refusal } from '../../domain/errors.js';
import { answerForm, type HookVerdict } from '../../domain/hooks/answer.js';
import { hookOf, type HookClient } from '../../domain/hooks/clients.js';
import { denied } from '../../domain/hooks/gate.js';
import type { JsonObject } from '../../domain/json.js';
import { HookAnswer, HookClientParam, HookInput, HookQuery, HookVerdictView } from '../../ports/api/index.js';
import type { HookOptions } from '../../ports/hook-service.js';
import { answered } from '../reply.js';
import { endpoint, type CallerCall, type Route } from '../route.js';
import { parseWaitMs } from '../wait.js';

type HookCall = CallerCall<{ client: HookClient }, HookQuery>;

function optionsOf({ query, exchange }: HookCall, waitMs: number, signal: AbortSignal): HookOptions {
  return {
    session: query.session,
    refusalsMax: query.refusals_max,
    waitMs,
    agents: query.agents?.split(',').map((one) => one.trim()),
    invocation: query.invocation,
    url: query.url ?? `http://${exchange.inbound.host}`,
    signal,
  };
}

function verdictOf(call: HookCall, input: JsonObject): Promise<Outcome<HookVerdict>> {
  const { service, params, query, exchange } = call;
  return exchange.waiting(async (signal) => {
    const waitMs = parseWaitMs(query.wait, exchange.door.limits.waitMsMax);
    const first = await service.hooks.answer(params.client, input, optionsOf(call, waitMs, signal));
    if (query.form === 'verdict' || signal.aborted) return first;
    if (!first.ok || first.value.verdict !== 'waiting') return first;
    // A client asks once for each stop: what came without callbacks is the end of it.
    return service.hooks.answer(params.client, input, optionsOf(call, 0, signal));
  });
}

/** A gate that cannot be answered is closed: clients take every status beside 2xx for leave. */
function closedGate(client: HookClient, input: JsonObject, { detail }: Refusal): JsonObject | null {
  const name = input['hook_event_name'];
  if (typeof name !== 'string' || hookOf(client, name) !== 'pre-tool-use') return null;
  const verdict = denied('this tool', detail, 'Correct that and try again.');
  return answerForm(client, 'pre-tool-use', verdict);
}

async function answerHook(call: HookCall, input: JsonObject) {
  const { client } = call.params;
  const outcome = await verdictOf(call, input);
  if (call.query.form === 'verdict') return answered(200, outcome);
  if (!outcome.ok) {
    const gate = closedGate(client, input, outcome.refusal);
    return gate === null ? outcome : answered(200, accepted(gate));
  }
  const name = input['hook_event_name'];
  const hook = typeof name === 'string' ? hookOf(client, name) : null;
  return answered(200, accepted(answerForm(client, hook ?? 'stop', outcome.value)));
}

export const hookRoutes: readonly Route[] = [
  endpoint({
    method: 'POST',
    path: '/hooks/{client}',
    operationId: 'answerHook',
    summary: 'Answer a hook of an agent CLI, in its own form (docs/hooks.md)',
    tag: 'Hooks',
    params: HookClientParam,
    query: HookQuery,
    answers: {
      200: {
        description: "The answer in the client's form; with `form=verdict` what it comes to",
        oneOf: [HookAnswer, HookVerdictView],
      },
    },
    errors: ['session_not_found', 'session_exists', 'limit_exceeded'],
    // A stop that waits asks again with less to wait, and an answer may hold a token, which no receipt is to keep.
    keyed: false,
  }).json(HookInput, answerHook),
];
