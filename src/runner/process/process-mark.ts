// Which process it is, told so that another with the same id is not taken for it. Knows nothing of what is marked.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';

export interface ProcessMark {
  /** This start of the machine; `0` where it cannot be told. */
  readonly boot: string;
  /** The namespace that process ids count in; `0` where there is one only. */
  readonly space: string;
  readonly pid: number;
  /** When the process began, in the system's own measure; `0` where it cannot be told. */
  readonly start: string;
}

const UNKNOWN = '0';

/** @returns The mark of a process of this machine and namespace; `null` where there is none that runs. */
export function markOf(pid: number): ProcessMark | null {
  const start = process.platform === 'linux' ? startByProc(pid) : startByPs(pid);
  return start === null ? null : { ...surroundings(), pid, start };
}

/** Whether the process of a mark is still there. unknown: its ids count elsewhere. */
export function lifeOf(mark: ProcessMark): 'alive' | 'gone' | 'unknown' {
  const here = surroundings();
  if (differ(mark.boot, here.boot)) return 'gone';
  if (mark.space !== here.space) return 'unknown';
  const now = markOf(mark.pid);
  return now === null || differ(mark.start, now.start) ? 'gone' : 'alive';
}

function differ(one: string, other: string): boolean {
  return one !== other && one !== UNKNOWN && other !== UNKNOWN;
}

let known: Pick<ProcessMark, 'boot' | 'space'> | null = null;

function surroundings(): Pick<ProcessMark, 'boot' | 'space'> {
  known ??= {
    boot: told(() => shortened(readFileSync('/proc/sys/kernel/random/boot_id', 'utf8'))),
    space: told(() => /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0]),
  };
  return known;
}

function told(read: () => string | undefined): string {
  try {
    return read() ?? UNKNOWN;
  } catch {
    return UNKNOWN;
  }
}

/** In ticks since the machine started. A process that nobody has waited for yet runs no more. */
function startByProc(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${String(pid)}/stat`, 'utf8');
    // The name before may hold anything: proc(5).
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
