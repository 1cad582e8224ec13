// Stands in for the Gemini API, as far as Gemini CLI needs it: streams of text and function calls.
import { isFailure, ownTools, toolName, type Heard, type Said, type Script } from './script.js';
import { openStandIn, type ApiAnswer, type StandIn } from './server.js';

const OWN = { run: 'mcp_countersign_run_', byHand: 'mcp_countersign_' };
/** Said before the first prompt of a conversation. */
const CONTEXT = /^<session_context>[^]*<\/session_context>\s*/;

export function openGemini(script: Script): Promise<StandIn> {
  return openStandIn((path, body) => {
    if (!path.startsWith('/v1beta/models/')) return null;
    // Without tools it is one of the client's own questions, such as which model to take.
    const turn = (body.tools ?? []).length > 0 ? script(heardIn(body)) : { say: '{}' };
    if (!isFailure(turn)) return answer(turn, path.includes('stream'), offeredIn(body));
    return {
      status: turn.status,
      body: { error: { code: turn.status, message: turn.message, status: turn.error } },
    };
  });
}

function answer({ say, call }: Said, streams: boolean, offered: readonly string[]): ApiAnswer {
  const parts: Record<string, unknown>[] = [];
  if (say !== undefined) parts.push({ text: say });
  if (call !== undefined) {
    const name = toolName(call.tool, offered, OWN);
    parts.push({ functionCall: { name, args: call.input } });
  }
  const body = {
    candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP', index: 0 }],
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
    modelVersion: 'stand-in',
  };
  return streams ? { status: 200, data: [body] } : { status: 200, body };
}

function heardIn(body: any): Heard {
  const contents: { role: string; parts: any[] }[] = body.contents;
  const at = contents.findLastIndex(({ role, parts }) => role === 'user' && parts.some((part) => part.text));
  const since = contents.slice(at + 1);
  const prompt = contents[at]?.parts.map((part) => part.text ?? '').join('\n') ?? '';
  const answers = since.flatMap(({ parts }) => parts).filter((part) => part.functionResponse);
  return {
    prompt: prompt.replace(CONTEXT, ''),
    turn: since.filter(({ role }) => role === 'model').length,
    answer: JSON.stringify(answers.at(-1)?.functionResponse.response ?? ''),
    tools: ownTools(offeredIn(body), OWN),
    offered: offeredIn(body),
    system: (body.systemInstruction?.parts ?? []).map((part: any) => part.text ?? '').join('\n'),
  };
}

function offeredIn(body: any): string[] {
  const declared = (body.tools ?? []).flatMap((tool: any) => tool.functionDeclarations ?? []);
  return declared.map(({ name }: { name: string }) => name);
}
