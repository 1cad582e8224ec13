// The type of an example: a request, and the reply of a running service.
import type { JsonValue } from '../../../domain/json/json.js';

export interface Example {
  readonly path?: Readonly<Record<string, string | number>>;
  readonly query?: Readonly<Record<string, string | number | boolean>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly contentType?: string;
  readonly body?: JsonValue;
  readonly status: number;
  /** Absent if the reply has no body. */
  readonly answer?: JsonValue;
}

/** Examples by operation id. */
export type Examples = Readonly<Record<string, Example>>;
