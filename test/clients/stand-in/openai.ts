// Stands in for the OpenAI Responses API, as far as Codex needs it: streams of text and calls of its `exec` tool.
import { isFailure, ownTools, toolName, type Heard, type Said, type Script } from './script.js';
import { openStandIn, type ApiAnswer, type StandIn } from './server.js';

const OWN = { run: 'mcp__countersign_run__', byHand: 'mcp__countersign__' };

export function openOpenAi(script: Script): Promise<StandIn> {
  let count = 0;
  return openStandIn((path, body) => {
    if (!path.includes('/responses')) return null;
    const turn = script(heardIn(body));
    count += 1;
    if (!isFailure(turn)) return response(turn, count, offeredIn(body));
    const { status, error, message } = turn;
    return { status, body: { error: { type: error, code: error, message } } };
  });
}

function response(turn: Said, count: number, offered: readonly string[]): ApiAnswer {
  const id = `resp_${count}`;
  const output = itemsOf(turn, count, offered);
  const usage = {
    input_tokens: 10,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 5,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 15,
  };
  return {
    status: 200,
    events: [
      { type: 'response.created', response: { id, status: 'in_progress' } },
      ...output.flatMap((item, output_index) => [
        { type: 'response.output_item.added', output_index, item },
        { type: 'response.output_item.done', output_index, item },
      ]),
      { type: 'response.completed', response: { id, status: 'completed', output, usage } },
    ],
  };
}

/** Tools are called from a program that the model writes: the client gives it one tool, which runs JavaScript. */
function itemsOf({ say, call }: Said, count: number, offered: readonly string[]): Record<string, unknown>[] {
  const items: Record<string, unknown>[] = [];
  if (say !== undefined) {
    items.push({
      type: 'message',
      id: `msg_${count}`,
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: say, annotations: [] }],
    });
  }
  if (call !== undefined) {
    const inEach = offered.map((namespace) => `${namespace}__${call.tool}`);
    const name = toolName(call.tool, inEach, OWN);
    items.push({
      type: 'custom_tool_call',
      id: `ctc_${count}`,
      call_id: `call_${count}`,
      name: 'exec',
      input: `text(await tools.${name}(${JSON.stringify(call.input)}))`,
      status: 'completed',
    });
  }
  return items;
}

function heardIn(body: any): Heard {
  const input: any[] = body.input;
  const isPrompt = (item: any) =>
    item.type === 'message' &&
    item.role === 'user' &&
    !textOf(item.content).startsWith('<environment_context>');
  const at = input.findLastIndex(isPrompt);
  const since = input.slice(at + 1);
  const answers = since.filter((item) => item.type.endsWith('_output'));
  return {
    prompt: plain(textOf(input[at]?.content)),
    // A text before a call came with it.
    turn: since.filter(
      (item, i) =>
        item.type === 'custom_tool_call' ||
        (item.role === 'assistant' && since[i + 1]?.type !== 'custom_tool_call'),
    ).length,
    answer: textOf(answers.at(-1)?.output),
    tools: ownTools(resultsIn(body), OWN),
    offered: offeredIn(body),
    system: JSON.stringify(input.filter((item) => item.role === 'developer')),
  };
}

/** Of the tools of servers it tells the names of the servers alone; the rest is there for whoever asks. */
function offeredIn(body: any): string[] {
  const said = JSON.stringify(body.input.filter((item: any) => item.role === 'developer'));
  return [...said.matchAll(/- (mcp__[a-z0-9_-]+):/gi)].map(([, name = '']) => name);
}

/** Of others it tells the tools themselves. */
function resultsIn(body: any): string[] {
  const said = JSON.stringify(body.input.filter((item: any) => item.type === 'additional_tools'));
  return [...said.matchAll(/(mcp__[a-z0-9_-]+)\(/gi)].map(([, name = '']) => name);
}

/** What a hook says comes as an element, its text escaped. */
function plain(text: string): string {
  if (!text.startsWith('<hook_prompt')) return text;
  const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' };
  return text.replace(/&(lt|gt|quot|apos|amp);/g, (_, name: string) => entities[name] ?? '');
}

function textOf(content: any): string {
  if (typeof content === 'string') return content;
  return (content ?? []).map((block: any) => block.text ?? '').join('\n');
}
