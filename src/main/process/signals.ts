// Waits for the operator to end the program.
import { closeSync } from 'node:fs';

/**
 * Resolves at the first SIGTERM, SIGINT or SIGHUP, which a closed terminal sends: by default it would end the program at
 * once, and leave the processes of runs behind. Each further SIGTERM or SIGINT calls `again`: the operator does not want
 * to wait. A further SIGHUP does not: shells pass it on, so that it comes twice.
 */
export function untilStopSignal(again: () => void): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let asked = false;
    const onSignal = (signal: NodeJS.Signals) => {
      if (asked && signal !== 'SIGHUP') again();
      if (signal === 'SIGHUP') process.off('exit', leaveTerminal).once('exit', leaveTerminal);
      asked = true;
      resolve(signal);
    };
    process.on('SIGTERM', onSignal);
    process.on('SIGINT', onSignal);
    process.on('SIGHUP', onSignal);
  });
}

/** At its exit Node restores the modes of terminals that it has open, and aborts if one is gone. */
function leaveTerminal(): void {
  for (const fd of [0, 1, 2]) {
    try {
      closeSync(fd);
    } catch {
      // It is closed already.
    }
  }
}
