// Builds the completion settings of a session from the request and the defaults. Contracts are admitted like schemas.
import { ok, type Result } from '../../domain/errors.js';
import type { CompletionSettings, Contract } from '../../domain/records/records.js';
import type * as api from '../../ports/api/index.js';
import { admitWithin } from '../schemas/admit-within.js';
import type { SchemaEngine } from '../../ports/schema-engine.js';
import type { Limits } from '../../domain/limits.js';

interface Parts {
  readonly engine: SchemaEngine;
  readonly limits: Limits;
}

/** @returns The settings; or the failures of `SchemaEngine.admit` for the contract, with pointers into the body. */
export async function completionSettings(
  { engine, limits }: Parts,
  options: api.CompletionOptions | undefined,
): Promise<Result<CompletionSettings>> {
  const contract = await admitContract(engine, options?.contract);
  if (!contract.ok) return contract;
  return ok({
    mode: options?.mode ?? 'always',
    contract: contract.value,
    writeScope: options?.write_scope ?? null,
    ...(options?.await_state === undefined ? {} : { awaitState: options.await_state }),
    attemptsMax: options?.max_attempts ?? limits.completionAttemptsMax,
    timeoutMs: options?.timeout_ms ?? limits.completionTimeoutMs,
    retryDelayMs: options?.retry_delay_ms ?? limits.completionRetryDelayMs,
  });
}

async function admitContract(
  engine: Parts['engine'],
  contract: api.Contract | undefined,
): Promise<Result<Contract | null>> {
  if (contract === undefined) return ok(null);
  const admitted = await admitWithin(engine, contract.schema, '/completion/contract/schema');
  if (!admitted.ok) return admitted;
  return ok({
    pointer: contract.pointer,
    schema: admitted.value.schema,
    schemaHash: admitted.value.hash,
  });
}
