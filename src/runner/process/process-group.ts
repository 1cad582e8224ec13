// Process groups of this runner; none outlives it. POSIX: a negative group id signals the whole group.

export interface ProcessGroup {
  /** Returns false if nothing of the group is left. */
  signal(name: 'SIGTERM' | 'SIGKILL'): boolean;
  isAlive(): boolean;
  /** Stops tracking the group. */
  release(): void;
}

const live = new Set<number>();

/** Tracks the group of a detached child. */
export function holdProcessGroup(leaderPid: number): ProcessGroup {
  if (live.size === 0) process.on('exit', killAll);
  live.add(leaderPid);
  return {
    signal: (name) => send(leaderPid, name),
    isAlive: () => send(leaderPid, 0),
    release() {
      live.delete(leaderPid);
      if (live.size === 0) process.off('exit', killAll);
    },
  };
}

/** Runs when the runner exits, however it ends, except when it is killed itself. */
function killAll(): void {
  for (const pid of live) send(pid, 'SIGKILL');
}

function send(leaderPid: number, signal: 'SIGTERM' | 'SIGKILL' | 0): boolean {
  try {
    return process.kill(-leaderPid, signal);
  } catch {
    return false; // ESRCH: the group has ended
  }
}
