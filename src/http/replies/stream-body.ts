// The body of a streamed reply.
import type { TimeSlices } from '../../lib/time-slices.js';
import type { StreamBuffers } from './stream-buffers.js';

/** A streamed reply body: its chunks, and how to end it. */
export interface StreamBody {
  readonly chunks: AsyncIterable<Uint8Array>;
  readonly stop: () => void;
  /** Last event for a reader that takes no data. */
  readonly tooSlow: string;
  /** How long a reader may take no data, milliseconds. */
  readonly stallMs: number;
  /** The reader, see `callerOf`. */
  readonly caller: string;
  readonly buffers: StreamBuffers;
  readonly slices: TimeSlices;
}
