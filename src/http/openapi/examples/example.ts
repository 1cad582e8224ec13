// The form of an example: a request, and the answer that a running service gave to it.
import type { JsonValue } from '../../../domain/json/json.js';

export interface Example {
  readonly path?: Readonly<Record<string, string | number>>;
  readonly query?: Readonly<Record<string, string | number | boolean>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly contentType?: string;
  readonly body?: JsonValue;
  readonly status: number;
  /** Absent where the answer has no body. */
  readonly answer?: JsonValue;
}

/** By operation id. */
export type Examples = Readonly<Record<string, Example>>;
