// Hooks in a TOML settings file (Codex). Each of our tables follows a comment of ours and is found by it; the rest of the
// text is never touched, and what it says is held against what it said before.
import { isDeepStrictEqual } from 'node:util';
import { parse, stringify } from 'smol-toml';
import { UsageError } from '../usage-error.js';
import { isOurs, type HookEntry } from './entries.js';

const MARK = '# countersign hook install wrote this table; countersign hook uninstall removes it.';
const OURS = new RegExp(
  `(?:^\\r?\\n)?^${MARK.replaceAll('.', '\\.')}\\r?\\n` +
    String.raw`\[\[hooks\.(\w+)\]\]\r?\n(?:\w+ = [^\r\n]*\r?\n)*\[\[hooks\.\1\.hooks\]\]\r?\n(?:\w+ = [^\r\n]*(?:\r?\n|$))*`,
  'gm',
);

/** The text with these entries in place of ours that it has. @throws UsageError Where that cannot be done. */
export function withEntries(text: string, entries: readonly HookEntry[]): string {
  const rest = withoutEntries(text);
  const begun = rest === '' || rest.endsWith('\n') ? rest : `${rest}\n`;
  const changed =
    begun + entries.map((one) => `${begun === '' ? '' : '\n'}${tableOf(one)}`).join(begun === '' ? '\n' : '');
  const before = settingsOf(rest);
  let after: unknown;
  try {
    after = settingsOf(changed);
  } catch {
    throw new UsageError(
      'The settings have hooks in a form that tables cannot be added to; write them as [[hooks.NAME]]',
    );
  }
  if (!isSame(after, before)) throw new UsageError(BY_HAND);
  return changed;
}

/** The text without what is ours. @throws UsageError Likewise. */
export function withoutEntries(text: string): string {
  const before = settingsOf(text);
  const rest = text.replace(OURS, '');
  const after = settingsOf(rest);
  if (!isDeepStrictEqual(plain(after), withoutOurs(after)) || !isSame(after, before)) {
    throw new UsageError(BY_HAND);
  }
  return rest.trim() === '' ? '' : rest;
}

/** Whether two settings say the same beside our hooks. */
function isSame(one: unknown, other: unknown): boolean {
  return isDeepStrictEqual(withoutOurs(one), withoutOurs(other));
}

const BY_HAND =
  'The settings have hooks of Countersign that were changed by hand; remove those by hand first (countersign hook)';

function tableOf({ event, matcher, command, timeoutMs }: HookEntry): string {
  const head = matcher === null ? '' : stringify({ matcher });
  const hook = stringify({ type: 'command', command, timeout: Math.ceil(timeoutMs / 1000) });
  return `${MARK}\n[[hooks.${event}]]\n${head}${head === '' || head.endsWith('\n') ? '' : '\n'}[[hooks.${event}.hooks]]\n${hook.trimEnd()}\n`;
}

function settingsOf(text: string): Readonly<Record<string, unknown>> {
  try {
    return parse(text);
  } catch (error) {
    const why = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
    throw new UsageError(`The settings are not TOML: ${why}`);
  }
}

/** What the settings say beside our hooks; what holds nothing else goes with them. */
function withoutOurs(settings: unknown): unknown {
  return mapped(settings, (value, rest) => isOnlyOurs(value) || (isEmpty(rest) && !isEmpty(value)));
}

/** The same values in objects and arrays of one kind, whatever they were parsed into. */
function plain(settings: unknown): unknown {
  return mapped(settings, () => false);
}

/** @param drops - Which members and items go, from what they were and what is left of them. */
function mapped(value: unknown, drops: (value: unknown, rest: unknown) => boolean): unknown {
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  const kept = Object.entries(value).flatMap(([name, one]: [string, unknown]): [string, unknown][] => {
    const rest = mapped(one, drops);
    return drops(one, rest) ? [] : [[name, rest]];
  });
  return Array.isArray(value) ? kept.map(([, one]) => one) : Object.fromEntries(kept);
}

function isOnlyOurs(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { command, hooks } = value as { command?: unknown; hooks?: unknown };
  return isOurs(command) || (Array.isArray(hooks) && hooks.length > 0 && hooks.every(isOnlyOurs));
}

function isEmpty(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || value instanceof Date) return false;
  return Object.keys(value).length === 0;
}
