// Flags that the commands share which start something.
import { DEFAULT_LIMITS } from '../../domain/limits.js';
import { byDefault, choiceFlag, integerFlag, textFlag } from '../flag.js';

export const DEFAULT_DB = './countersign.db';

export const dbFlag = byDefault(
  textFlag('--db <file>', 'database: a file, or its URL', { env: 'COUNTERSIGN_DB' }),
  DEFAULT_DB,
);

export const logLevelFlag = byDefault(
  choiceFlag('--log-level <level>', 'what is logged', ['silent', 'error', 'warn', 'info', 'debug'], {
    env: 'COUNTERSIGN_LOG_LEVEL',
  }),
  'info',
);

export const execFlag = textFlag(
  '--exec <command>',
  'shell command line that is the agent: prompt on stdin, result on stdout',
  {
    env: 'COUNTERSIGN_EXEC',
  },
);

export const projectDirFlag = byDefault(
  textFlag('--project-dir <dir>', 'where runs work that name no directory', {
    env: 'COUNTERSIGN_PROJECT_DIR',
  }),
  '.',
);

export const concurrentFlag = byDefault(
  integerFlag('--concurrent <n>', 'runs at a time', {
    env: 'COUNTERSIGN_CONCURRENT',
    min: 1,
    max: DEFAULT_LIMITS.runnerConcurrentMax,
  }),
  DEFAULT_LIMITS.runnerConcurrentDefault,
);
