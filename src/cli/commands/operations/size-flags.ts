// Flags of `serve` that change size limits.
import { DEFAULT_LIMITS, type Limits } from '../../../domain/limits.js';
import { integerFlag, type Values } from '../../flag.js';
import { UsageError } from '../../usage-error.js';

const MIB = 1024 * 1024;

export const sizeFlags = {
  maxStateBytes: integerFlag('--max-state-bytes <bytes>', 'size of a document as JSON text', {
    env: 'COUNTERSIGN_MAX_STATE_BYTES',
    min: 1024,
    max: 16 * MIB,
  }),
  maxDepth: integerFlag('--max-depth <n>', 'levels of objects and arrays in a document', {
    env: 'COUNTERSIGN_MAX_DEPTH',
    min: 4,
    max: 128,
  }),
  maxPatchOperations: integerFlag('--max-patch-operations <n>', 'operations of one patch or batch', {
    env: 'COUNTERSIGN_MAX_PATCH_OPERATIONS',
    min: 1,
    max: 10_000,
  }),
  maxPatchGrowthBytes: integerFlag(
    '--max-patch-growth-bytes <bytes>',
    'size that a document may reach while it is patched',
    {
      env: 'COUNTERSIGN_MAX_PATCH_GROWTH_BYTES',
      min: 1024,
      max: 64 * MIB,
    },
  ),
  maxBodyBytes: integerFlag('--max-body-bytes <bytes>', 'size of a request body', {
    env: 'COUNTERSIGN_MAX_BODY_BYTES',
    min: 1024,
    max: 64 * MIB,
  }),
  maxSchemaBytes: integerFlag('--max-schema-bytes <bytes>', 'size of a schema as JSON text', {
    env: 'COUNTERSIGN_MAX_SCHEMA_BYTES',
    min: 1024,
    max: 4 * MIB,
  }),
  maxPromptBytes: integerFlag('--max-prompt-bytes <bytes>', 'size of a prompt', {
    env: 'COUNTERSIGN_MAX_PROMPT_BYTES',
    min: 1024,
    max: 4 * MIB,
  }),
  maxResultBytes: integerFlag('--max-result-bytes <bytes>', 'size of a result text or result data', {
    env: 'COUNTERSIGN_MAX_RESULT_BYTES',
    min: 1024,
    max: 4 * MIB,
  }),
  maxTreeSessions: integerFlag('--max-tree-sessions <n>', 'sessions of one tree, deleted ones counted', {
    env: 'COUNTERSIGN_MAX_TREE_SESSIONS',
    min: 10,
    max: 1_000_000,
  }),
  documentWorkMs: integerFlag('--document-work-ms <ms>', 'how long a write may work on a large document', {
    env: 'COUNTERSIGN_DOCUMENT_WORK_MS',
    min: 100,
    max: 60_000,
  }),
};

/**
 * Returns the limits that were given. A given document size also raises the limits of patch growth and request
 * body, unless those were given too.
 *
 * @throws UsageError If a document of the allowed size could not be sent or written.
 */
export function sizeLimitsOf(given: Values<typeof sizeFlags>): Partial<Limits> {
  const limits = {
    stateBytesMax: given.maxStateBytes,
    documentDepthMax: given.maxDepth,
    patchOperationsMax: given.maxPatchOperations,
    patchGrowthBytesMax: given.maxPatchGrowthBytes,
    bodyBytesMax: given.maxBodyBytes,
    bodyValuesMax: undefined as number | undefined,
    schemaBytesMax: given.maxSchemaBytes,
    promptBytesMax: given.maxPromptBytes,
    resultBytesMax: given.maxResultBytes,
    sessionsPerTreeMax: given.maxTreeSessions,
    documentWorkMs: given.documentWorkMs,
  };
  const { maxStateBytes: stateBytes } = given;
  if (stateBytes !== undefined) {
    limits.patchGrowthBytesMax ??= Math.max(DEFAULT_LIMITS.patchGrowthBytesMax, 2 * stateBytes);
    limits.bodyBytesMax ??= Math.max(DEFAULT_LIMITS.bodyBytesMax, 4 * stateBytes);
  }
  if (limits.bodyBytesMax !== undefined) {
    const times = limits.bodyBytesMax / DEFAULT_LIMITS.bodyBytesMax;
    limits.bodyValuesMax = Math.ceil(times * DEFAULT_LIMITS.bodyValuesMax);
  }
  const largest = stateBytes ?? DEFAULT_LIMITS.stateBytesMax;
  refuseSmaller('--max-patch-growth-bytes', limits.patchGrowthBytesMax, largest);
  refuseSmaller('--max-body-bytes', limits.bodyBytesMax, largest);
  return Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined));
}

function refuseSmaller(flag: string, bytes: number | undefined, stateBytes: number): void {
  if (bytes === undefined || bytes >= stateBytes) return;
  throw new UsageError(
    `${flag} is ${String(bytes)}, less than a document may have (--max-state-bytes, ${String(stateBytes)}): raise it, or lower that`,
  );
}
