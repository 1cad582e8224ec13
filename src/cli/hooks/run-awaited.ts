// `countersign hook awaited`: shows people the names of the children that a session waits for. It runs beside the stop hook,
// or after the tool that starts a child if the client shows hook messages only after all hooks of an event have ended.
// It decides nothing: if it fails, the client continues.
import { readHookInput } from '../../agent-clients/hooks/input.js';
import { agentClient } from '../../agent-clients/index.js';
import { createClient } from '../../client/index.js';
import { isResultOf } from '../../domain/hooks/result.js';
import { isJsonObject } from '../../domain/json/json.js';
import { DEFAULT_LIMITS } from '../../domain/limits.js';
import { httpFetch } from '../io/http-fetch.js';
import type { CliIo } from '../io/io.js';
import { EXIT } from '../text/exit-codes.js';
import { failureText } from '../text/failure-text.js';
import { readHookDocument } from './hook-input.js';
import type { HookTarget } from './run-hook.js';

/** @returns The exit code: 0 if the answer was written, with or without a message. */
export async function runAwaited({ client, url, token, session }: HookTarget, io: CliIo): Promise<number> {
  const definition = agentClient(client);
  const given = await readHookDocument(io);
  // The hook runs at different events. The question is always about the session's next stop.
  const input = {
    session_id: isJsonObject(given) ? (given['session_id'] ?? null) : null,
    hook_event_name: definition.hooks.events.stop ?? null,
  };
  const event = readHookInput(definition, input, 'stop');
  if (!event.ok) {
    io.stderr.write(failureText(event.failure));
    return EXIT.refused;
  }
  const service = createClient({
    url,
    token,
    fetch: httpFetch,
    timeoutMs: DEFAULT_LIMITS.hookGateMs / 2,
    retry: false,
  });
  const result = await service.hooks.answer(client, input, { session, url, awaited: true });
  if (!result.ok) {
    io.stderr.write(failureText(result.failure));
    return EXIT.refused;
  }
  // Beside the stop hook it decides nothing.
  if (!isResultOf('stop', result.value) || result.value.verdict !== 'end') {
    io.stderr.write('error: The answer of the service cannot be understood\n');
    return EXIT.refused;
  }
  io.stdout.write(`${JSON.stringify(definition.hooks.answer('stop', result.value))}\n`);
  return EXIT.ok;
}
