// The gate before a tool fails closed. A client treats every status other than 2xx as permission, so any failure
// at `/hooks/{client}?event=pre-tool-use` is sent with status 200 as a denial in the client's own form.
import type { ClientHooks } from '../../../agent-clients/hooks/client-hooks.js';
import { AGENT_CLIENTS } from '../../../agent-clients/index.js';
import { ERRORS, type Failure } from '../../../domain/errors.js';
import { HOOKS } from '../../../domain/hooks/clients.js';
import { denied } from '../../../domain/hooks/denied.js';
import type { RequestContext } from '../../requests/request-context.js';
import { jsonReply, type Reply } from '../../replies/reply.js';

const HOOKS_PATH = /^\/hooks(?:\/([^/]*))?(?:\/|$)/;

/**
 * The denial that replaces a problem document, wherever the request failed; `null` if the request is not for the
 * gate, or asks for the result itself (`form=verdict`).
 */
export function closedGate(context: RequestContext, failure: Failure): Reply | null {
  const found = HOOKS_PATH.exec(context.path);
  if (found === null) return null;
  const asked = new URLSearchParams(`?${context.inbound.search ?? ''}`);
  if (!isGate(asked.get('event')) || asked.get('form') === 'verdict') return null;
  // An unknown client is most likely the one that has hooks over HTTP.
  const client =
    AGENT_CLIENTS.find(({ name }) => name === found[1]) ?? AGENT_CLIENTS.find(({ hooks }) => hooks.overHttp);
  return client === undefined ? null : gateDenial(client.hooks, failure);
}

/** An unknown event counts as the gate: the caller has to see the error. */
function isGate(event: string | null): boolean {
  const hook = HOOKS.find((one) => one === event);
  return event !== null && (hook === undefined || hook === 'pre-tool-use');
}

/** @param hooks - Of the client whose form the reply has. */
export function gateDenial(hooks: ClientHooks, { error, detail }: Failure): Reply {
  const why = `${ERRORS[error].title}${detail === '' ? '' : `: ${detail}`}`;
  const result = denied('this tool', why, 'Correct that and try again.');
  return jsonReply(200, hooks.answer('pre-tool-use', result));
}
