// Which process this is, and whether another one is still there: as far as the system tells.
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** A process, so that another one can tell whether it is gone. */
export interface ProcessIdentity {
  readonly host: string;
  /** Changes with every start of the machine; `null` where the system does not tell. */
  readonly boot: string | null;
  /** The space of process ids that `pid` is of: containers have their own. */
  readonly space: string | null;
  readonly pid: number;
  /** When the process began, as the system counts: ids are used again. */
  readonly began: string | null;
}

export function thisProcess(): ProcessIdentity {
  return {
    host: hostname(),
    boot: bootId(),
    space: quietly(() => readlinkSync('/proc/self/ns/pid')),
    pid: process.pid,
    began: beganAt(process.pid),
  };
}

/** Changes with every start of the machine; `null` where the system does not tell. */
export function bootId(): string | null {
  return quietly(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim());
}

/** True where a process is certainly gone; false where it is there, or that cannot be told from here. */
export function isGone(one: ProcessIdentity): boolean {
  const here = thisProcess();
  if (one.host !== here.host) return false;
  if (one.boot !== here.boot) return true;
  if (one.space !== here.space) return false;
  if (!hasProcess(one.pid)) return true;
  return one.began !== null && beganAt(one.pid) !== one.began;
}

function hasProcess(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // It is somebody else's where that is not allowed.
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
}

/** Field 22 of `/proc/PID/stat`; the name of the program before it may hold anything, so it is counted from its end. */
function beganAt(pid: number): string | null {
  const stat = quietly(() => readFileSync(`/proc/${String(pid)}/stat`, 'utf8'));
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
}

function quietly(read: () => string): string | null {
  try {
    return read();
  } catch {
    return null;
  }
}
