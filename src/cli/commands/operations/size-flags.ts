// Flags of `serve` that change size limits.
import { DEFAULT_LIMITS, type Limits } from '../../../domain/limits.js';
import { limitFlag, type Values } from '../../flag.js';
import { UsageError } from '../../usage-error.js';
import { given } from '../page.js';

const MIB = 1024 * 1024;

export const sizeFlags = {
  maxStateBytes: limitFlag('--max-state-bytes <bytes>', 'size of a document as JSON text', 1024, 16 * MIB),
  maxDepth: limitFlag('--max-depth <n>', 'levels of objects and arrays in a document', 4, 128),
  maxPatchOperations: limitFlag('--max-patch-operations <n>', 'operations of one patch or batch', 1, 10_000),
  maxPatchGrowthBytes: limitFlag(
    '--max-patch-growth-bytes <bytes>',
    'size that a document may reach while it is patched',
    1024,
    64 * MIB,
  ),
  maxBodyBytes: limitFlag('--max-body-bytes <bytes>', 'size of a request body', 1024, 64 * MIB),
  maxSchemaBytes: limitFlag('--max-schema-bytes <bytes>', 'size of a schema as JSON text', 1024, 4 * MIB),
  maxPromptBytes: limitFlag('--max-prompt-bytes <bytes>', 'size of a prompt', 1024, 4 * MIB),
  maxResultBytes: limitFlag(
    '--max-result-bytes <bytes>',
    'size of a result text or result data',
    1024,
    4 * MIB,
  ),
  maxTreeSessions: limitFlag(
    '--max-tree-sessions <n>',
    'sessions of one tree, deleted ones counted',
    10,
    1_000_000,
  ),
  documentWorkMs: limitFlag(
    '--document-work-ms <ms>',
    'how long a write may work on a large document',
    100,
    60_000,
  ),
};

/**
 * Returns the limits that were given. A given document size also raises the limits of patch growth and request
 * body, unless those were given too.
 *
 * @throws UsageError If a document of the allowed size could not be sent or written.
 */
export function sizeLimitsOf(values: Values<typeof sizeFlags>): Partial<Limits> {
  const limits = {
    stateBytesMax: values.maxStateBytes,
    documentDepthMax: values.maxDepth,
    patchOperationsMax: values.maxPatchOperations,
    patchGrowthBytesMax: values.maxPatchGrowthBytes,
    bodyBytesMax: values.maxBodyBytes,
    bodyValuesMax: undefined as number | undefined,
    schemaBytesMax: values.maxSchemaBytes,
    promptBytesMax: values.maxPromptBytes,
    resultBytesMax: values.maxResultBytes,
    sessionsPerTreeMax: values.maxTreeSessions,
    documentWorkMs: values.documentWorkMs,
  };
  const { maxStateBytes: stateBytes } = values;
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
  return given(limits);
}

function refuseSmaller(flag: string, bytes: number | undefined, stateBytes: number): void {
  if (bytes === undefined || bytes >= stateBytes) return;
  throw new UsageError(
    `${flag} is ${String(bytes)}, less than a document may have (--max-state-bytes, ${String(stateBytes)}): raise it, or lower that`,
  );
}
