// `countersign runner`: a runner in a process of its own, for a coordinator in another process.
import { clientFor, EXIT, type CliIo, type RunnerCommandOptions } from '../../cli/index.js';
import { startErrorText } from '../process/failure.js';
import { createLogger } from '../process/logger.js';
import { runnerProcess } from '../runner/runner-process.js';
import { untilStopSignal } from '../process/signals.js';

/** Runs until it is told to stop. @returns The exit code. */
export async function runRunner(options: RunnerCommandOptions, io: CliIo): Promise<number> {
  const client = clientFor({
    url: options.url,
    token: options.token,
    retry: false, // the runner retries by itself, for as long as it runs
  });
  // Fails at once if the coordinator is unreachable now. Later the runner waits for it.
  await client.runners.list();
  const runner = runnerProcess({
    ...options,
    service: client.runners,
    logger: createLogger(options.logLevel),
  });
  const asked = untilStopSignal(() => void runner.stop('now'));
  try {
    // While the coordinator is away, the start lasts.
    const signal = await Promise.race([asked, runner.start()]);
    if (signal === undefined) io.stdout.write(`runner ${options.hostname} is ready for ${options.url}\n`);
  } catch (error) {
    const reason = startErrorText(error);
    if (reason === null) throw error;
    io.stderr.write(`error: ${reason}\n`);
    return EXIT.notAllowed;
  }
  await asked;
  await runner.stop('drain');
  return EXIT.ok;
}
