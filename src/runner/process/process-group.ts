// Process groups of this runner, so that none outlives it. POSIX: a group is signalled through the negative of its id.

export interface ProcessGroup {
  /** False where nothing of the group is left. */
  signal(name: 'SIGTERM' | 'SIGKILL'): boolean;
  isAlive(): boolean;
  /** The group is not looked after any more. */
  release(): void;
}

const live = new Set<number>();

/** Looks after the group that a detached child leads. */
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

/** The last thing that a runner does, however it ends, short of being killed itself. */
function killAll(): void {
  for (const pid of live) send(pid, 'SIGKILL');
}

function send(leaderPid: number, signal: 'SIGTERM' | 'SIGKILL' | 0): boolean {
  try {
    return process.kill(-leaderPid, signal);
  } catch {
    return false; // ESRCH: gone
  }
}
