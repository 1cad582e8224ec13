// Use case: a session opens a state through the key view. If the request names no schema, the built-in one applies.
import { ok, type Result } from '../../domain/errors.js';
import type * as api from '../../ports/api/index.js';
import type { Caller } from '../caller.js';
import { createWorkflowState, type CreateStateParts } from '../states/create-state.js';
import { andThen, mapped, reachSession } from '../results.js';
import { FREE_FORM_SCHEMA, registerBuiltIn } from '../schemas/built-in.js';

export type OpenStateParts = CreateStateParts;

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

/** The built-in schema, which accepts any object: the version with that content. */
async function freeForm(context: OpenStateParts): Promise<Result<Chosen>> {
  return mapped(await registerBuiltIn(context, FREE_FORM_SCHEMA), ({ name, version }) => ({
    schema_name: name,
    schema_version: version,
  }));
}
