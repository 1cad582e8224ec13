// Stands in for the Anthropic Messages API, as far as Claude Code needs it: streams of text and tool calls.
import {
  isFailure,
  ownTools,
  toolName,
  type Heard,
  type Refused,
  type Said,
  type Script,
  type Turn,
} from './script.js';
import { openStandIn, type ApiAnswer, type StandIn } from './server.js';

/**
 * How Claude Code begins a block that hands over the reason of a stop hook, since 2.1.332. Before, the block began with
 * the last line of this. No other block that begins with `<system-reminder>` is a prompt.
 */
const STOP_HOOK_FEEDBACK =
  /^<system-reminder>\nThe text below is the output of a hook [^\n]*\nStop hook feedback:\n/;

const OWN = { run: 'mcp__countersign_run__', byHand: 'mcp__countersign__' };

export function openAnthropic(script: Script): Promise<StandIn> {
  let count = 0;
  return openStandIn((path, body) => {
    if (!path.startsWith('/v1/messages')) return null;
    if (path.includes('count_tokens')) return { status: 200, body: { input_tokens: 10 } };
    // Without tools it is one of the client's own questions, such as for a title.
    const turn: Turn = (body.tools ?? []).length > 0 ? script(heardIn(body)) : { say: 'A title' };
    count += 1;
    return isFailure(turn) ? failure(turn) : message(turn, count, body);
  });
}

function failure({ status, error, message: text }: Refused): ApiAnswer {
  return { status, body: { type: 'error', error: { type: error, message: text } } };
}

function message(turn: Said, count: number, body: any): ApiAnswer {
  const usage = {
    input_tokens: 10,
    output_tokens: 1,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
  };
  const blocks = blocksOf(turn, count, callableIn(body));
  return {
    status: 200,
    events: [
      {
        type: 'message_start',
        message: {
          id: `msg_${count}`,
          type: 'message',
          role: 'assistant',
          model: body.model,
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage,
        },
      },
      ...blocks.flatMap(({ start, delta }, index) => [
        { type: 'content_block_start', index, content_block: start },
        { type: 'content_block_delta', index, delta },
        { type: 'content_block_stop', index },
      ]),
      {
        type: 'message_delta',
        delta: { stop_reason: turn.call === undefined ? 'end_turn' : 'tool_use', stop_sequence: null },
        usage: { output_tokens: 20 },
      },
      { type: 'message_stop' },
    ],
  };
}

function blocksOf({ say, call }: Said, count: number, offered: readonly string[]) {
  const text =
    say === undefined
      ? []
      : [{ start: { type: 'text', text: '' }, delta: { type: 'text_delta', text: say } }];
  if (call === undefined) return text;
  const name = toolName(call.tool, offered, OWN);
  const start = { type: 'tool_use', id: `toolu_${count}`, name, input: {} };
  return [...text, { start, delta: { type: 'input_json_delta', partial_json: JSON.stringify(call.input) } }];
}

function heardIn(body: any): Heard {
  const messages: { role: string; content: any }[] = body.messages;
  const blocks = messages.flatMap(({ role, content }) =>
    (typeof content === 'string' ? [{ type: 'text', text: content }] : content).map((block: any) => ({
      role,
      ...block,
    })),
  );
  const isPrompt = ({ role, type, text }: any) =>
    role === 'user' &&
    type === 'text' &&
    (!text.startsWith('<system-reminder>') || STOP_HOOK_FEEDBACK.test(text));
  const at = blocks.findLastIndex(isPrompt);
  const since = messages.slice(
    messages.findLastIndex(
      ({ role, content }) => role === 'user' && blocksIn(content).some((b) => b.text === blocks[at]?.text),
    ),
  );
  const answers = blocks.slice(at).filter((block) => block.type === 'tool_result');
  return {
    prompt: blocks[at]?.text ?? '',
    turn: since.filter(({ role }) => role === 'assistant').length,
    answer: textOf(answers.at(-1)?.content),
    tools: ownTools(offeredIn(body), OWN),
    offered: offeredIn(body),
    system: textOf(body.system),
  };
}

function offeredIn(body: any): string[] {
  return (body.tools ?? []).map(({ name }: { name: string }) => name);
}

/** With those that it names in words, to be asked for first: they can be called all the same. */
function callableIn(body: any): string[] {
  const named = JSON.stringify(body).matchAll(/mcp__[a-z0-9_-]+/gi);
  return [...offeredIn(body), ...[...named].map(([name]) => name)];
}

function blocksIn(content: any): any[] {
  return typeof content === 'string' ? [{ text: content }] : content;
}

function textOf(content: any): string {
  if (typeof content === 'string') return content;
  return (content ?? []).map((block: any) => block.text ?? '').join('\n');
}
