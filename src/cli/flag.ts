// Flags of commands: their form, environment variable, default and type. The flag takes precedence over the
// variable, and the variable over the default.
import { UsageError } from './usage-error.js';

/** The value from the command line; `undefined` if absent. */
export type RawFlag = string | boolean | readonly string[] | undefined;

export interface Flag<T> {
  /** In commander's form, such as `--port <n>`. */
  readonly spec: string;
  readonly text: string;
  /** Environment variable used if the flag is absent. */
  readonly env: string | null;
  /** @throws UsageError If the value is invalid. */
  readonly read: (raw: RawFlag, source: string) => T;
}

interface Sources {
  /** Environment variable; `true` for the flag's own, such as `COUNTERSIGN_DB` for `--db`. */
  readonly env?: string | true | undefined;
}

function flag<T>(spec: string, text: string, env: Sources['env'], read: Flag<T>['read']): Flag<T> {
  return { spec, text, env: env === true ? ownVariable(spec) : (env ?? null), read };
}

function ownVariable(spec: string): string {
  const [name = ''] = /[a-z-]+/.exec(spec.slice(2)) ?? [];
  return `COUNTERSIGN_${name.toUpperCase().replaceAll('-', '_')}`;
}

/** Treats an empty variable as absent. */
export function nonEmpty(value: string | undefined): string | undefined {
  return value === '' ? undefined : value;
}

/** A non-empty text. */
export function textFlag(spec: string, text: string, { env }: Sources = {}): Flag<string | undefined> {
  return flag(spec, text, env, (raw, source) => {
    if (raw === undefined) return undefined;
    if (typeof raw !== 'string' || raw === '') throw new UsageError(`${source} needs a value`);
    return raw;
  });
}

/** A JSON Pointer; an empty one names the whole document. */
export function pointerFlag(spec: string, text: string): Flag<string | undefined> {
  return flag(spec, text, undefined, (raw, source) => {
    if (raw === undefined || typeof raw === 'string') return raw;
    throw new UsageError(`${source} needs a value`);
  });
}

/** A whole number from `min` to `max`, both included; 0 or more by default. */
export function integerFlag(
  spec: string,
  text: string,
  { env, min = 0, max = Number.MAX_SAFE_INTEGER }: Sources & { min?: number; max?: number } = {},
): Flag<number | undefined> {
  const range = max === Number.MAX_SAFE_INTEGER ? `${min} or more` : `from ${min} to ${max}`;
  return flag(spec, text, env, (raw, source) => {
    if (raw === undefined) return undefined;
    const value = typeof raw === 'string' && /^\d{1,15}$/.test(raw) ? Number(raw) : NaN;
    if (value >= min && value <= max) return value;
    throw new UsageError(`${source} needs a whole number ${range}, not '${String(raw)}'`);
  });
}

/** A limit from `min` to `max`, which the flag's own variable gives too. */
export function limitFlag(spec: string, text: string, min: number, max: number): Flag<number | undefined> {
  return integerFlag(spec, text, { env: true, min, max });
}

/** One of the given values. */
export function choiceFlag<const V extends string>(
  spec: string,
  text: string,
  values: readonly V[],
  { env }: Sources = {},
): Flag<V | undefined> {
  return flag(spec, `${text}: ${values.join(', ')}`, env, (raw, source) => {
    if (raw === undefined) return undefined;
    const value = values.find((one) => one === raw);
    if (value !== undefined) return value;
    throw new UsageError(`${source} needs one of ${values.join(', ')}, not '${String(raw)}'`);
  });
}

/** A boolean. A variable accepts `1`, `true`, `yes`, `on` and their opposites. */
export function switchFlag(spec: string, text: string, { env }: Sources = {}): Flag<boolean> {
  return flag(spec, text, env, (raw, source) => {
    if (raw === undefined || typeof raw === 'boolean') return raw === true;
    if (/^(1|true|yes|on)$/i.test(String(raw))) return true;
    if (/^(0|false|no|off)$/i.test(String(raw))) return false;
    throw new UsageError(`${source} needs 1 or 0, not '${String(raw)}'`);
  });
}

/** Any number of values; a variable separates them by commas. */
export function listFlag(spec: string, text: string, { env }: Sources = {}): Flag<readonly string[]> {
  return flag(spec, text, env, (raw) => {
    if (raw === undefined || typeof raw === 'boolean') return [];
    if (typeof raw !== 'string') return raw;
    return raw.split(',').flatMap((one) => (one.trim() === '' ? [] : [one.trim()]));
  });
}

/**
 * A list whose items have a form.
 *
 * @param expected - The form in words, for the error.
 */
export function formedList(
  list: Flag<readonly string[]>,
  form: RegExp,
  expected: string,
): Flag<readonly string[]> {
  return {
    ...list,
    read: (raw, source) => {
      const given = list.read(raw, source);
      const wrong = given.find((one) => !form.test(one));
      if (wrong !== undefined) throw new UsageError(`${source} needs ${expected}, not '${wrong}'`);
      return given;
    },
  };
}

/** Any number of the allowed values, without duplicates. */
export function choicesFlag<const V extends string>(
  spec: string,
  text: string,
  values: readonly V[],
  sources: Sources,
): Flag<readonly V[] | undefined> {
  const list = listFlag(spec, `${text}: ${values.join(', ')}`, sources);
  return {
    ...list,
    read: (raw, source) => {
      const given = list.read(raw, source);
      const chosen = values.filter((one) => given.includes(one));
      const wrong = given.find((one) => !values.some((value) => value === one));
      if (wrong !== undefined) {
        throw new UsageError(`${source} needs one of ${values.join(', ')}, not '${wrong}'`);
      }
      return chosen.length === 0 ? undefined : chosen.toSorted((a, b) => given.indexOf(a) - given.indexOf(b));
    },
  };
}

/** The units of durations, milliseconds; the longest first. */
const UNITS: Readonly<Record<string, number>> = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000, ms: 1 };

/** A duration as `durationFlag` reads it. */
export function spanOf(ms: number): string {
  const [unit = 'ms', factor = 1] = Object.entries(UNITS).find(([, one]) => ms % one === 0) ?? [];
  return `${String(ms / factor)}${unit}`;
}

/** A duration such as `500ms`, `30s`, `10m`, `1h` or `7d`, in milliseconds; `min` is the shortest. */
export function durationFlag(
  spec: string,
  text: string,
  { env, min = 0 }: Sources & { min?: number } = {},
): Flag<number | undefined> {
  return flag(spec, text, env, (raw, source) => {
    if (raw === undefined) return undefined;
    const [, digits, unit] = /^(\d{1,9})(ms|s|m|h|d)$/.exec(String(raw)) ?? [];
    const factor = UNITS[unit ?? ''];
    if (digits !== undefined && factor !== undefined) {
      const ms = Number(digits) * factor;
      if (ms >= min) return ms;
      throw new UsageError(`${source} needs a span of at least ${spanOf(min)}, not '${String(raw)}'`);
    }
    throw new UsageError(`${source} needs a span of time such as 30s or 10m, not '${String(raw)}'`);
  });
}

/**
 * The flag with a default.
 *
 * @param shown - The default as it can be given on the command line.
 */
export function byDefault<T, const D>(
  base: Flag<T | undefined>,
  value: D,
  shown = String(value),
): Flag<T | D> {
  return {
    ...base,
    text: `${base.text} (default: ${shown})`,
    read: (raw, source) => base.read(raw, source) ?? value,
  };
}

/** The flag as a required one. */
export function required<T>(base: Flag<T | undefined>): Flag<T> {
  return {
    ...base,
    text: `${base.text} (required)`,
    read: (raw, source) => {
      const value = base.read(raw, source);
      if (value !== undefined) return value;
      throw new UsageError(
        `${source} is required${base.env === null ? '' : ` (or ${base.env} in the environment)`}`,
      );
    },
  };
}

export type Flags = Readonly<Record<string, Flag<unknown>>>;
export type Values<F extends Flags> = { readonly [K in keyof F]: F[K] extends Flag<infer T> ? T : never };

/**
 * Reads all flags of a command.
 *
 * @param raw - The value of a flag on the command line.
 * @throws UsageError For the first invalid value.
 */
export function readFlags<F extends Flags>(
  flags: F | undefined,
  raw: (spec: string) => RawFlag,
  env: Readonly<Record<string, string | undefined>>,
): Values<F> {
  const all: Flags = flags ?? {};
  const values = Object.entries(all).map(([name, one]) => {
    const given = raw(one.spec);
    const fallback = one.env === null || env[one.env] === '' ? undefined : env[one.env];
    const source = given === undefined && fallback !== undefined ? one.env : one.spec.split(' ')[0];
    return [name, one.read(given ?? fallback, source ?? one.spec)];
  });
  return Object.fromEntries(values) as Values<F>;
}
