// Handles uncaught errors. An unhandled rejection is a bug of one request or record: it is logged and the service
// continues, because everything that counts is in the database. An uncaught exception leaves the process in an
// unknown state: it is logged and the process exits.
import type { Logger } from '../../ports/runtime.js';
import { EXIT } from '../../cli/index.js';

export function watchForBugs(logger: Logger): void {
  process.on('unhandledRejection', (reason) => {
    logger.error({ err: reason }, 'unhandled rejection: this is a bug');
  });
  process.on('uncaughtException', (error) => {
    logger.error({ err: error }, 'an exception was not caught: this is a bug, and the service ends');
    process.exit(EXIT.bug);
  });
}
