// Commands that call a service: address, identity of the caller, and output.
import type { ClientOptions } from '../client/index.js';
import { clientSessionsOf } from '../agent-clients/conversations.js';
import type { Countersign } from '../ports/service.js';
import { clientFor } from './client-for.js';
import type { CommandDraft, CommandSpec } from './command.js';
import { byDefault, switchFlag, textFlag, type Flags, type Values, nonEmpty } from './flag.js';
import { httpFetch } from './io/http-fetch.js';
import type { CliIo } from './io/io.js';
import { createOutput, type Output } from './text/output.js';
import { stoppable } from './io/stoppable-fetch.js';
import { RefusedError } from './refused-error.js';

export const DEFAULT_URL = 'http://127.0.0.1:4717';

export const serviceFlags = {
  url: byDefault(textFlag('--url <url>', 'where the service is', { env: true }), DEFAULT_URL),
  token: textFlag('--token <token>', 'who is asking', { env: true }),
};

export const jsonFlag = { json: switchFlag('--json', 'write the answer as one JSON document') };

const commonFlags = { ...serviceFlags, ...jsonFlag };

/** What `clientCommand` adds to the input of a command. */
export interface ClientInput {
  readonly client: Countersign;
  /** The same client; its requests end when the signal aborts. */
  readonly clientUntil: (signal: AbortSignal) => Countersign;
  readonly out: Output;
}

/**
 * Creates a command that calls a service, with the flags that all such commands share.
 *
 * @param retry - `false` if the command repeats its requests itself, within its own time limit.
 */
export function clientCommand<F extends Flags>(
  draft: CommandDraft<F, ClientInput>,
  retry?: ClientOptions['retry'],
): CommandSpec {
  return {
    ...draft,
    flags: { ...draft.flags, ...commonFlags },
    run: async (input) => {
      const common = input.read(commonFlags);
      const io = await withBoundSession(common, input.io);
      const client = connect(common, io, retry);
      const clientUntil = (signal: AbortSignal) => connect(common, io, retry, stoppable(httpFetch, signal));
      const out = createOutput(io, common.json);
      try {
        return await draft.run({ ...input, io, flags: input.read(draft.flags), client, clientUntil, out });
      } catch (error) {
        if (error instanceof RefusedError) return out.refuse(error.failure);
        throw error;
      }
    },
  };
}

/** A command that a conversation of an agent CLI runs acts as the session that its hooks bound to the conversation. */
async function withBoundSession(service: Values<typeof serviceFlags>, io: CliIo): Promise<CliIo> {
  const { env } = io;
  const identities = [service.token, env['AGENT_SESSION_ID'], env['AGENT_SESSION_NAME']];
  if (identities.some((one) => nonEmpty(one) !== undefined)) return io;
  const conversations = clientSessionsOf(env);
  if (conversations.length === 0) return io;
  const { boundSessionId } = await import('../domain/session-ids.js');
  const { ClientSessions } = await import('../ports/client-sessions.js');
  const { sessions } = connect(service, io, undefined);
  const sessionId = await new ClientSessions(sessions, boundSessionId).findOne(conversations);
  return sessionId === null ? io : { ...io, env: { ...env, AGENT_SESSION_ID: sessionId } };
}

/** Within a run, the environment names the calling session. With a token, the client sends only the token. */
function connect(
  { url, token }: Values<typeof serviceFlags>,
  { env }: CliIo,
  retry: ClientOptions['retry'],
  fetch = httpFetch,
): Countersign {
  return clientFor({
    url,
    token,
    fetch,
    retry,
    sessionId: nonEmpty(env['AGENT_SESSION_ID']),
    sessionName: nonEmpty(env['AGENT_SESSION_NAME']),
  });
}
