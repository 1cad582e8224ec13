// What the service needs of the process it runs in, so that tests can bring their own.

/** Milliseconds since the Unix epoch. */
export interface Clock {
  /** Service time, of records, leases and timers. Never jumps, and never goes back within one process. */
  now(): number;
  /** What the clock of the machine says at this moment, which others compare with theirs. It may jump. */
  wall(): number;
}

export interface IdSource {
  /** A new id that no one can guess, such as `run_…`. */
  newId(prefix: string): string;
  /** Hexadecimal secret of 256 bits. */
  newSecret(): string;
}

export type LogFields = Readonly<Record<string, unknown>>;

/** Structured log. Secrets never get here. */
export interface Logger {
  /** True where `debug` lines are kept; where not, they need not be put together. */
  readonly verbose: boolean;
  debug(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
}
