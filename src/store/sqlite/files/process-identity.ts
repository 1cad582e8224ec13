// Identifies this process, and checks whether another one still runs, as far as the operating system tells.
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** Identifies a process, so that another process can check whether it is gone. */
export interface ProcessIdentity {
  readonly host: string;
  /** Changes with every boot; `null` if the system does not provide it. */
  readonly boot: string | null;
  /** The PID namespace of `pid`: containers have their own. */
  readonly space: string | null;
  readonly pid: number;
  /** The process's start time in system ticks, because process ids are reused. */
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

/** Changes with every boot; `null` if the system does not provide it. */
export function bootId(): string | null {
  return quietly(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim());
}

/** True if a process is certainly gone; false if it runs or this cannot be determined. */
export function isGone(one: ProcessIdentity): boolean {
  const current = thisProcess();
  if (one.host !== current.host) return false;
  if (one.boot !== current.boot) return true;
  if (one.space !== current.space) return false;
  if (!hasProcess(one.pid)) return true;
  return one.began !== null && beganAt(one.pid) !== one.began;
}

function hasProcess(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Not permitted means that the process exists and belongs to another user.
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
}

/**
 * Field 22 of `/proc/PID/stat`. The program name before it may contain anything, so fields are counted from its end.
 */
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
