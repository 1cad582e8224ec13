// The structured log: one JSON object per line on standard error. Standard output is for the program's result.
import { pino } from 'pino';
import { harmlessJson } from '../../cli/index.js';
import type { Logger } from '../../ports/runtime.js';

/** @param level - Lowest level that is logged; `silent` for none. Secrets are redacted by member name. */
export function createLogger(level: string): Logger {
  const standardError = pino.destination({ dest: 2, sync: true });
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
