// Commands that ask a service: where it is, who is asking, and how the answer is written.
import { createClient } from '../client/index.js';
import type { Countersign } from '../ports/service.js';
import type { CommandInput, CommandSpec } from './command.js';
import { byDefault, switchFlag, textFlag, type Flags, type Values } from './flag.js';
import type { CliIo } from './io.js';
import { createOutput, type Output } from './output.js';
import { UsageError } from './usage-error.js';

export const DEFAULT_URL = 'http://127.0.0.1:4717';

export const serviceFlags = {
  url: byDefault(textFlag('--url <url>', 'where the service is', { env: 'COUNTERSIGN_URL' }), DEFAULT_URL),
  token: textFlag('--token <token>', 'who is asking', { env: 'COUNTERSIGN_TOKEN' }),
};

export const jsonFlag = { json: switchFlag('--json', 'write the answer as one JSON document') };

const commonFlags = { ...serviceFlags, ...jsonFlag };

export interface ClientInput<F extends Flags> extends CommandInput<F> {
  readonly client: Countersign;
  readonly out: Output;
}

export interface ClientCommandSpec<F extends Flags> extends Omit<CommandSpec<F>, 'run'> {
  readonly run: (input: ClientInput<F>) => Promise<number>;
}

/** The description of a command that needs a service, with the flags that all of them have. */
export function clientCommand<F extends Flags>(spec: ClientCommandSpec<F>): CommandSpec<F & typeof commonFlags> {
  return {
    ...spec,
    flags: { ...spec.flags, ...commonFlags },
    run: (input) => {
      const own: Values<F> & Values<typeof commonFlags> = input.flags;
      const client = connect(own, input.io);
      return spec.run({ ...input, flags: own, client, out: createOutput(input.io, own.json) });
    },
  };
}

/** Within a run, the environment says which session is asking. A token says more, and then goes alone. */
function connect({ url, token }: Values<typeof serviceFlags>, { env }: CliIo): Countersign {
  try {
    return createClient({
      url,
      token,
      sessionId: env['AGENT_SESSION_ID'],
      sessionName: env['AGENT_SESSION_NAME'],
    });
  } catch (error) {
    if (error instanceof TypeError) throw new UsageError(error.message, { cause: error });
    throw error;
  }
}
