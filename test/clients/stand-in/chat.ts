// Stands in for the OpenAI Chat Completions API, as far as opencode needs it: streams of text and tool calls.
import { isFailure, ownTools, toolName, type Heard, type Said, type Script } from './script.js';
import { openStandIn, type ApiAnswer, type StandIn } from './server.js';

const OWN = { run: 'countersign_run_', byHand: 'countersign_' };

export function openChat(script: Script): Promise<StandIn> {
  let count = 0;
  return openStandIn((path, body) => {
    if (!path.endsWith('/chat/completions')) return null;
    count += 1;
    // Without tools it is one of the client's own questions, such as for a title.
    const turn = (body.tools ?? []).length > 0 ? script(heardIn(body)) : { say: 'A title' };
    if (!isFailure(turn)) return answer(turn, count, offeredIn(body));
    const { status, error, message } = turn;
    return { status, body: { error: { type: error, code: error, message } } };
  });
}

function answer({ say, call }: Said, count: number, offered: readonly string[]): ApiAnswer {
  const chunk = (delta: object, finish_reason: string | null, usage?: object) => ({
    id: `chat_${count}`,
    object: 'chat.completion.chunk',
    created: 1,
    model: 'stand-in',
    choices: [{ index: 0, delta, finish_reason }],
    ...(usage === undefined ? {} : { usage }),
  });
  const data: object[] = [];
  if (say !== undefined) data.push(chunk({ role: 'assistant', content: say }, null));
  if (call !== undefined) {
    const name = toolName(call.tool, offered, OWN);
    const asked = { index: 0, id: `call_${count}`, type: 'function' };
    const tool_calls = [{ ...asked, function: { name, arguments: JSON.stringify(call.input) } }];
    data.push(chunk({ role: 'assistant', tool_calls }, null));
  }
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
  data.push(chunk({}, call === undefined ? 'stop' : 'tool_calls', usage));
  return { status: 200, data };
}

function heardIn(body: any): Heard {
  const messages: { role: string; content: any }[] = body.messages;
  const at = messages.findLastIndex(({ role }) => role === 'user');
  const since = messages.slice(at + 1);
  return {
    prompt: textOf(messages[at]?.content),
    turn: since.filter(({ role }) => role === 'assistant').length,
    answer: textOf(since.findLast(({ role }) => role === 'tool')?.content),
    tools: ownTools(offeredIn(body), OWN),
    offered: offeredIn(body),
    system: messages
      .filter(({ role }) => role === 'system')
      .map(({ content }) => textOf(content))
      .join('\n'),
  };
}

function offeredIn(body: any): string[] {
  return (body.tools ?? []).map((tool: any) => tool.function.name);
}

function textOf(content: any): string {
  if (typeof content === 'string') return content;
  return (content ?? []).map((block: any) => block.text ?? '').join('\n');
}
