// Waits for the operator to end the program.

/**
 * Resolves at the first SIGTERM, SIGINT or SIGHUP, which a closed terminal sends: by default it would end the program at
 * once, and leave the processes of runs behind. Each further SIGTERM or SIGINT calls `again`: the operator does not want
 * to wait. A further SIGHUP does not: shells pass it on, so that it comes twice.
 */
export function untilAskedToStop(again: () => void): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let asked = false;
    const hear = (signal: NodeJS.Signals) => {
      if (asked && signal !== 'SIGHUP') again();
      asked = true;
      resolve(signal);
    };
    process.on('SIGTERM', hear);
    process.on('SIGINT', hear);
    process.on('SIGHUP', hear);
  });
}
