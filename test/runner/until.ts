// Waiting for a fact, with a deadline.

export async function until(fact: () => boolean, what: string, deadlineMs = 8000): Promise<void> {
  const deadline = performance.now() + deadlineMs;
  while (!fact()) {
    if (performance.now() > deadline) throw new Error(`Not so in time: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** A process that is a zombie counts as gone. */
export async function untilGone(pid: number): Promise<void> {
  const { readFileSync } = await import('node:fs');
  await until(() => {
    try {
      return /^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
    } catch {
      return true;
    }
  }, `process ${pid} is gone`);
}
