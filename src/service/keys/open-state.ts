// Use case: a session opens a state through the key view. If the request names no schema, the built-in one applies.
import { ok, type Result } from '../../domain/errors.js';
import type { JsonObject } from '../../domain/json/json.js';
import { FREE_FORM } from '../../domain/schemas/register.js';
import type * as api from '../../ports/api/index.js';
import type { Caller } from '../caller.js';
import { createWorkflowState, type CreateStateParts } from '../states/create-state.js';
import { andThen, mapped, reachSession } from '../results.js';
import { registerUnderName } from '../schemas/register-schema.js';

export type OpenStateParts = CreateStateParts;

const FREE_FORM_SCHEMA: JsonObject = { type: 'object' };

/** @returns The state's envelope; or the failures of creating a state. */
export async function openState(
  caller: Caller<OpenStateParts>,
  idOrName: string,
  body: api.KeyStateOpen,
): Promise<Result<api.StateEnvelope>> {
  const { schema_name: named } = body;
  return createWorkflowState(caller, () =>
    andThen(reachSession(caller, 'orchestrate', idOrName), ({ sessionId }) => {
      const schema = named === undefined ? freeForm(caller.context) : ok<Chosen>({ schema_name: named });
      return andThen(schema, (chosen) =>
        ok({ ...chosen, initial_data: body.initial_state, root_session_id: sessionId }),
      );
    }),
  );
}

interface Chosen {
  readonly schema_name: string;
  readonly schema_version?: number;
}

/** The built-in schema, which accepts any object. The first session that needs it registers it. */
async function freeForm(context: OpenStateParts): Promise<Result<Chosen>> {
  const body = { name: FREE_FORM, json_schema: FREE_FORM_SCHEMA, description: 'Any JSON object; built in.' };
  return andThen(context.engine.admit(FREE_FORM_SCHEMA, 'document'), async (admitted) =>
    mapped(await registerUnderName(context, body, admitted, null, context.transactions), ({ schema }) => ({
      schema_name: FREE_FORM,
      schema_version: schema.version,
    })),
  );
}
