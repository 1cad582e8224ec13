// `countersign serve`: runs a coordinator until it is told to stop, with a runner in the same process if asked
// for.
import { OPEN_LOOPBACK } from '../../domain/access/actor.js';
import { hostname } from 'node:os';
import { EXIT, type CliIo, type ServeOptions } from '../../cli/index.js';
import type { Logger } from '../../ports/runtime.js';
import { startCoordinator, type Coordinator } from '../coordinator.js';
import { databaseName } from '../../store/index.js';
import { signingKeysOf } from '../evidence/signing-keys.js';
import { databaseLocation } from '../database-location.js';
import { startErrorText } from '../process/failure.js';
import { watchForBugs } from '../process/last-resort.js';
import { createLogger } from '../process/logger.js';
import { runnerProcess } from '../runner/runner-process.js';
import { untilStopSignal } from '../process/signals.js';

/** @param onReady - Called once the server accepts requests. */
export async function serve(options: ServeOptions, io: CliIo, onReady: () => void): Promise<number> {
  const logger = createLogger(options.logLevel);
  watchForBugs(logger);
  let coordinator: Coordinator;
  let db: string;
  try {
    const database = databaseLocation(options.db);
    db = database.path;
    if (database.note !== null) logger.warn({ db }, database.note);
    coordinator = await startCoordinator({
      ...options,
      db,
      logger,
      tokenSecret: io.env['COUNTERSIGN_TOKEN_SECRET'],
      keys: signingKeysOf(io.env),
    });
  } catch (error) {
    const reason = startErrorText(error);
    if (reason === null) throw error;
    io.stderr.write(`error: ${reason}\n`);
    return EXIT.refused;
  }
  const asked = untilStopSignal(() => process.exit(EXIT.refused));
  const stopRunner = await startRunner(options, coordinator, logger, asked);
  onReady();
  io.stdout.write(`countersign is ready at ${coordinator.url}\n`);
  logger.info({ url: coordinator.url, db: databaseName(db), auth: options.auth }, 'ready');
  const signal = await asked;
  logger.info({ signal }, 'stopping');
  await stopRunner();
  await coordinator.close();
  return EXIT.ok;
}

/** This runner calls the service directly: no network, no token. Waits for its start, at most until `asked`. */
async function startRunner(
  options: ServeOptions,
  { service, url }: Coordinator,
  logger: Logger,
  asked: Promise<unknown>,
): Promise<() => Promise<void>> {
  if (options.runner === null) return () => Promise.resolve();
  const runner = runnerProcess({
    ...options.runner,
    service: service.as(OPEN_LOOPBACK).runners,
    url,
    hostname: hostname(),
    tags: [],
    logger,
  });
  await Promise.race([asked, runner.start()]);
  return () => runner.stop('drain');
}
