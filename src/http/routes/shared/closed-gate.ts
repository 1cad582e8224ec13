// The gate before a tool fails closed: a client takes every status beside 2xx for leave. What cannot be answered at
// `/hooks/{client}?event=pre-tool-use` is therefore answered with 200 and the client's own form of a denial.
import { ERRORS, type Refusal } from '../../../domain/errors.js';
import { answerForm } from '../../../domain/hooks/answer.js';
import { HOOK_CLIENTS, HOOKS, type HookClient } from '../../../domain/hooks/clients.js';
import { denied } from '../../../domain/hooks/gate.js';
import type { RequestContext } from '../../requests/request-context.js';
import { jsonReply, type Reply } from '../../replies/reply.js';

const HOOKS_PATH = /^\/hooks(?:\/([^/]*))?(?:\/|$)/;

/**
 * The denial in place of a problem, wherever on its way the question was refused; `null` where it was not the gate's, or
 * a program asks for the verdict as such.
 */
export function closedGate(exchange: RequestContext, refusal: Refusal): Reply | null {
  const found = HOOKS_PATH.exec(exchange.path);
  if (found === null) return null;
  const asked = new URLSearchParams(exchange.inbound.search ?? '');
  if (!isGate(asked.get('event')) || asked.get('form') === 'verdict') return null;
  // Only Claude Code has hooks over HTTP: a client that is not known is most likely it.
  const client = HOOK_CLIENTS.find((one) => one === found[1]) ?? 'claude-code';
  return gateDenial(client, refusal);
}

/** An event that is none may have been meant for the gate: what is wrong then has to be seen. */
function isGate(event: string | null): boolean {
  const hook = HOOKS.find((one) => one === event);
  return event !== null && (hook === undefined || hook === 'pre-tool-use');
}

/** @param client - Whose form it has. */
export function gateDenial(client: HookClient, { error, detail }: Refusal): Reply {
  const why = `${ERRORS[error].title}${detail === '' ? '' : `: ${detail}`}`;
  const verdict = denied('this tool', why, 'Correct that and try again.');
  return jsonReply(200, answerForm(client, 'pre-tool-use', verdict));
}
