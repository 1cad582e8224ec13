// The structured log: one JSON object a line on standard error, so that standard output stays the program's answer.
import { pino } from 'pino';
import type { Logger } from '../ports/runtime.js';

export function createLogger(level: string): Logger {
  const log = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: ['token', 'authorization', 'lease_token'],
    },
    pino.destination({ dest: 2, sync: true }),
  );
  return {
    verbose: log.isLevelEnabled('debug'),
    debug: (fields, message) => log.debug(fields, message),
    info: (fields, message) => log.info(fields, message),
    warn: (fields, message) => log.warn(fields, message),
    error: (fields, message) => log.error(fields, message),
  };
}
