// Flags that all commands share which give work to a session: the terms of its completion, and its callback.
import type { CompletionOptions } from '../../../ports/api/index.js';
import { readObject } from '../../files/document.js';
import { choiceFlag, integerFlag, listFlag, switchFlag, textFlag, type Values } from '../../flag.js';
import type { CliIo } from '../../io/io.js';
import { UsageError } from '../../usage-error.js';
import { given } from '../page.js';

const HOUR_MS = 3_600_000;

export const termFlags = {
  callback: switchFlag('--callback', 'tell the parent when it is done'),
  contract: textFlag(
    '--contract <document>',
    'what must be in the state when it is done: {"pointer", "schema"}',
  ),
  writeScope: listFlag('--write-scope <pointer...>', 'the only places of the state that it may change'),
  awaitState: switchFlag('--await-state', 'hold it to a state that the root opens later'),
  mode: choiceFlag('--mode <mode>', 'when it has to record its result', [
    'always',
    'unless_satisfied',
    'never',
  ]),
  maxAttempts: integerFlag('--max-attempts <n>', 'how often it is asked to record its result', {
    min: 1,
    max: 10,
  }),
  updateTimeoutMs: integerFlag('--update-timeout-ms <ms>', 'how long it may take to record it, each time', {
    min: 100,
    max: 24 * HOUR_MS,
  }),
  updateRetryDelayMs: integerFlag('--update-retry-delay-ms <ms>', 'between these', { max: HOUR_MS }),
};

/** The request members of the flags; flags that are not given are omitted. */
export async function termsOf(
  flags: Values<typeof termFlags>,
  io: CliIo,
): Promise<{ callback?: true; completion?: CompletionOptions }> {
  const completion: CompletionOptions = given({
    mode: flags.mode,
    contract: flags.contract === undefined ? undefined : await readContract(flags.contract, io),
    write_scope: flags.writeScope.length === 0 ? undefined : [...flags.writeScope],
    await_state: flags.awaitState ? true : undefined,
    max_attempts: flags.maxAttempts,
    timeout_ms: flags.updateTimeoutMs,
    retry_delay_ms: flags.updateRetryDelayMs,
  });
  return {
    ...(flags.callback ? { callback: true } : {}),
    ...(Object.keys(completion).length === 0 ? {} : { completion }),
  };
}

async function readContract(argument: string, io: CliIo) {
  const contract = await readObject(argument, '--contract', io);
  const { pointer, schema, ...rest } = contract;
  if (typeof pointer !== 'string' || schema === undefined || Object.keys(rest).length > 0) {
    throw new UsageError('--contract needs {"pointer": "<JSON Pointer>", "schema": {…}}');
  }
  return { pointer, schema };
}
