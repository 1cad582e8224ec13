// The structured log: one JSON object per line on standard error. Standard output is for the program's result.
import { pino } from 'pino';
import { harmlessJson } from '../../cli/index.js';
import type { Logger } from '../../ports/runtime.js';

/** What is kept of a log that cannot be written, until it can be written again. */
const KEPT_BYTES_MAX = 1024 * 1024;

/**
 * Never throws: a log on a full disk, or on a terminal that was closed, must not end the service.
 *
 * @param level - Lowest level that is logged; `silent` for none. Secrets are redacted by member name.
 */
export function createLogger(level: string): Logger {
  const standardError = pino.destination({ dest: 2, sync: true, maxLength: KEPT_BYTES_MAX });
  standardError.on('error', () => undefined);
  const log = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: ['token', 'authorization', 'lease_token'],
    },
    // Errors and names in the log may come from agents, so control characters are escaped.
    { write: (line: string) => standardError.write(harmlessJson(line)) },
  );
  return {
    verbose: log.isLevelEnabled('debug'),
    debug: (fields, message) => log.debug(fields, message),
    info: (fields, message) => log.info(fields, message),
    warn: (fields, message) => log.warn(fields, message),
    error: (fields, message) => log.error(fields, message),
  };
}
