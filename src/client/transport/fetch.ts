// The part of `fetch` that the client uses, so that a program can give another implementation of it.

/** A function that sends one request; `fetch` itself is one. */
export type FetchFunction = (url: string, request: FetchRequest) => Promise<FetchResponse>;

export interface FetchRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** A redirect is a response like any other. */
  readonly redirect: 'manual';
  readonly signal: AbortSignal;
}

export interface FetchResponse {
  readonly ok: boolean;
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly body: ReadableStream<Uint8Array> | null;
  readonly text: () => Promise<string>;
}

export interface ResponseHeaders {
  /** The name may have any case. Several values of one name are joined with commas. */
  readonly get: (name: string) => string | null;
}
