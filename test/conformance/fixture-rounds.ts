// Tools and a prompt that need the client's input before they can answer: results of several rounds.
import { randomBytes } from 'node:crypto';
import {
  acceptedContent,
  CLIENT_CAPABILITIES_META_KEY,
  createRequestStateCodec,
  fromJsonSchema,
  inputRequired,
  inputResponse,
  type CallToolResult,
  type InputRequest,
  type InputRequiredResult,
  type McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { text } from './fixture-tools.js';

type Round = Promise<CallToolResult | InputRequiredResult>;

const nothing = fromJsonSchema<Record<string, never>>({ type: 'object', properties: {} });
const codec = createRequestStateCodec<number>({ key: randomBytes(32) });

function ask(message: string, member: string): InputRequest {
  const properties = { [member]: { type: 'string' as const } };
  return inputRequired.elicit({
    message,
    requestedSchema: { type: 'object', properties, required: [member] },
  });
}

function sample(words: string, maxTokens: number): InputRequest {
  return inputRequired.createMessage({
    messages: [{ role: 'user', content: { type: 'text', text: words } }],
    maxTokens,
  });
}

/** What was answered to a request of any kind; `undefined` where nothing fitting came. */
function answered({ mcpReq }: ServerContext, key: string): string | undefined {
  const view = inputResponse(mcpReq.inputResponses, key);
  if (view.kind === 'missing') return undefined;
  if (view.kind === 'elicit') {
    const content = acceptedContent(mcpReq.inputResponses, key);
    return content === undefined ? undefined : JSON.stringify(content);
  }
  return JSON.stringify(view.kind === 'roots' ? view.roots : view.result.content);
}

/** Asks for everything in one round, and answers when all of it has come. */
async function inOneRound(
  context: ServerContext,
  inputRequests: Readonly<Record<string, InputRequest>>,
  done: (answers: readonly string[]) => string,
  stateful = false,
): Round {
  const answers = Object.keys(inputRequests).flatMap((key) => answered(context, key) ?? []);
  const settled = !stateful || roundOf(context) === 1;
  if (settled && answers.length === Object.keys(inputRequests).length)
    return { content: [text(done(answers))] };
  return inputRequired({
    inputRequests: { ...inputRequests },
    ...(stateful ? { requestState: await codec.mint(1) } : {}),
  });
}

/** The round that the echoed state names; 0 without one. */
function roundOf({ mcpReq }: ServerContext): number {
  return mcpReq.requestState<number>() ?? 0;
}

async function inThreeRounds(context: ServerContext): Round {
  const round = roundOf(context);
  if (round === 0) {
    const step1 = ask('Step 1: What is your name?', 'name');
    return inputRequired({ inputRequests: { step1 }, requestState: await codec.mint(1) });
  }
  if (round === 1) {
    const step2 = ask('Step 2: What is your favorite color?', 'color');
    return inputRequired({ inputRequests: { step2 }, requestState: await codec.mint(2) });
  }
  return { content: [text('Both steps are done.')] };
}

/** Asks only for what the client said that it can give. */
function asDeclared(context: ServerContext): Round {
  const declares = (capability: string) => {
    const declared: unknown = Reflect.get(context.mcpReq.envelope ?? {}, CLIENT_CAPABILITIES_META_KEY);
    return typeof declared === 'object' && declared !== null && Object.hasOwn(declared, capability);
  };
  const requests: Record<string, InputRequest> = {};
  if (declares('sampling')) requests['thought'] = sample('Say something.', 50);
  if (declares('elicitation')) requests['word'] = ask('Say something', 'word');
  return inOneRound(context, requests, () => 'Said.');
}

const name = () => ask('What is your name?', 'name');
const confirm = () =>
  inputRequired.elicit({
    message: 'Please confirm',
    requestedSchema: { type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'] },
  });

const ROUNDS: Readonly<Record<string, (context: ServerContext) => Round>> = {
  test_input_required_result_elicitation: (context) =>
    inOneRound(context, { user_name: name() }, ([said]) => `Hello, ${String(said)}!`),
  test_streaming_elicitation: (context) =>
    inOneRound(context, { user_name: name() }, ([said]) => `Hello, ${String(said)}!`),
  test_input_required_result_sampling: (context) =>
    inOneRound(context, { capital_question: sample('What is the capital of France?', 100) }, String),
  test_input_required_result_list_roots: (context) =>
    inOneRound(context, { client_roots: inputRequired.listRoots() }, String),
  test_input_required_result_request_state: (context) =>
    inOneRound(context, { confirm: confirm() }, () => 'state-ok', true),
  test_input_required_result_tampered_state: (context) =>
    inOneRound(context, { confirm: confirm() }, () => 'state-ok', true),
  test_input_required_result_multiple_inputs: (context) =>
    inOneRound(
      context,
      {
        user_name: name(),
        greeting: sample('Generate a greeting', 50),
        client_roots: inputRequired.listRoots(),
      },
      (answers) => answers.join(' '),
      true,
    ),
  test_input_required_result_multi_round: inThreeRounds,
  test_input_required_result_capabilities: asDeclared,
  // Where the client has not said that it can sample, the SDK refuses in its place.
  test_missing_capability: (context) => inOneRound(context, { thought: sample('Think.', 50) }, String),
};

export function addRounds(server: McpServer): void {
  // Otherwise an option of the constructor; the server that ships has no rounds, and so no use for it.
  Reflect.set(server.server, '_requestStateVerify', (state: string, context: ServerContext) =>
    codec.verify(state, context),
  );
  for (const [tool, round] of Object.entries(ROUNDS)) {
    const config = { description: 'Asks its client before it answers', inputSchema: nothing };
    server.registerTool(tool, config, (_, context) => round(context));
  }
  server.registerPrompt('test_input_required_result_prompt', { description: 'Asks first' }, (context) => {
    const said = answered(context, 'user_context');
    if (said !== undefined) return { messages: [{ role: 'user', content: text(said) }] };
    const user_context = ask('What context should the prompt use?', 'context');
    return inputRequired({ inputRequests: { user_context } });
  });
}
