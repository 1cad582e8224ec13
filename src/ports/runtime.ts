// What the service needs from its process: clock, ids and log. Tests replace them.

/** Times in milliseconds since the Unix epoch. */
export interface Clock {
  /**
   * Service time, for records, leases and timers. Never jumps, and never goes back within a process, unless the clock of a
   * database server was set.
   */
  now(): number;
  /**
   * The current wall-clock time, for comparison with other machines' clocks: that of this machine, or of the database server
   * where coordinators share one. It may jump.
   */
  wall(): number;
}

export interface IdSource {
  /** A new unguessable id with this prefix, such as `run_…`. */
  newId(prefix: string): string;
  /** A secret of 256 bits, in hexadecimal. */
  newSecret(): string;
}

export type LogFields = Readonly<Record<string, unknown>>;

/** Structured log. Never pass secrets to it. */
export interface Logger {
  /** True if `debug` lines are kept. If false, callers need not build them. */
  readonly verbose: boolean;
  debug(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
}
