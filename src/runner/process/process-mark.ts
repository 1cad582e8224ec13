// Identifies a process, so that another process with the same id is not mistaken for it. Knows nothing of its
// use.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';

export interface ProcessMark {
  /** Identifies the boot of the machine; `0` if unknown. */
  readonly boot: string;
  /** The namespace of process ids; `0` if unknown, as on systems without namespaces. */
  readonly space: string;
  readonly pid: number;
  /** Start of the process in the system's own unit; `0` if unknown. */
  readonly start: string;
}

const UNKNOWN = '0';

/** @returns The mark of a running process of this machine and namespace; `null` if there is none. */
export function markOf(pid: number): ProcessMark | null {
  const start = process.platform === 'linux' ? startByProc(pid) : startByPs(pid);
  return start === null ? null : { ...surroundings(), pid, start };
}

/** Whether the process of a mark still runs. unknown: it belongs to another process namespace. */
export function lifeOf(mark: ProcessMark): 'alive' | 'gone' | 'unknown' {
  const current = surroundings();
  if (differ(mark.boot, current.boot)) return 'gone';
  if (mark.space !== current.space) return 'unknown';
  const now = markOf(mark.pid);
  return now === null || differ(mark.start, now.start) ? 'gone' : 'alive';
}

function differ(one: string, other: string): boolean {
  return one !== other && one !== UNKNOWN && other !== UNKNOWN;
}

function surroundings(): Pick<ProcessMark, 'boot' | 'space'> {
  return {
    boot: orUnknown(() => shortened(readFileSync('/proc/sys/kernel/random/boot_id', 'utf8'))),
    space: orUnknown(() => /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0]),
  };
}

function orUnknown(read: () => string | undefined): string {
  try {
    return read() ?? UNKNOWN;
  } catch {
    return UNKNOWN;
  }
}

/** Start time in clock ticks since boot. A zombie counts as ended. */
function startByProc(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${String(pid)}/stat`, 'utf8');
    // The process name before this position may contain any character: proc(5).
    const [state = '', ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return /^[ZX]$/i.test(state) ? null : (fields[18] ?? UNKNOWN);
  } catch {
    return null;
  }
}

function startByPs(pid: number): string | null {
  try {
    const text = execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], {
      encoding: 'utf8',
      env: { ...process.env, LC_ALL: 'C', TZ: 'UTC' },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return text.trim() === '' ? null : shortened(text);
  } catch {
    return isThere(pid) ? UNKNOWN : null; // no such process, or no `ps`
  }
}

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function shortened(text: string): string {
  return createHash('sha256').update(text.trim()).digest('hex').slice(0, 8);
}
