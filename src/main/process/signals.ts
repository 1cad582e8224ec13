// Waits for the operator to end the program.

/** Resolves at the first SIGTERM or SIGINT. Each further signal calls `again`: the operator does not want to wait. */
export function untilAskedToStop(again: () => void): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let asked = false;
    const hear = (signal: NodeJS.Signals) => {
      if (asked) again();
      asked = true;
      resolve(signal);
    };
    process.on('SIGTERM', hear);
    process.on('SIGINT', hear);
  });
}
