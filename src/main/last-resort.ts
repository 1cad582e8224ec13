// What nobody has caught. A promise that fails unheard is a bug of the one request or record that it belongs to: it is
// logged, and the service goes on, since all that counts is in the database. An exception that nobody caught leaves the
// process in a state that nobody knows: it is logged, and the process ends.
import type { Logger } from '../ports/runtime.js';
import { EXIT } from '../cli/index.js';

export function watchForBugs(logger: Logger): void {
  process.on('unhandledRejection', (reason) => {
    logger.error({ err: reason }, 'a promise failed unheard: this is a bug');
  });
  process.on('uncaughtException', (error) => {
    logger.error({ err: error }, 'an exception was not caught: this is a bug, and the service ends');
    process.exit(EXIT.bug);
  });
}
