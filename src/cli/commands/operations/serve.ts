// `countersign serve`: flags of the coordinator.
import { resolve } from 'node:path';
import { plainCommand, type CommandSpec } from '../../command.js';
import { byDefault, durationFlag, integerFlag, listFlag, switchFlag, textFlag } from '../../flag.js';
import { UsageError } from '../../usage-error.js';
import type { ServeOptions, WiredCommands } from '../../wiring.js';
import {
  concurrentFlag,
  dbFlag,
  executionFlags,
  executionOf,
  logLevelFlag,
  projectDirFlag,
} from './process-flags.js';
import { sizeFlags, sizeLimitsOf } from './size-flags.js';

const DAY_MS = 86_400_000;

const flags = {
  host: byDefault(
    textFlag('--host <host>', 'address to listen on', { env: 'COUNTERSIGN_HOST' }),
    '127.0.0.1',
  ),
  port: byDefault(
    integerFlag('--port <n>', 'port to listen on, 0 for any', { env: 'COUNTERSIGN_PORT', max: 65_535 }),
    4717,
  ),
  db: dbFlag,
  auth: switchFlag('--auth', 'every caller has to show a token', { env: 'COUNTERSIGN_AUTH' }),
  tokenGrace: durationFlag(
    '--token-grace <span>',
    'how long the token of a run counts after its work is done',
    {
      env: 'COUNTERSIGN_TOKEN_GRACE',
    },
  ),
  tokensOutliveRuns: switchFlag(
    '--tokens-outlive-runs',
    'tokens of runs count for their whole time, not only until the work is done',
    { env: 'COUNTERSIGN_TOKENS_OUTLIVE_RUNS' },
  ),
  runner: switchFlag('--runner', 'run a runner beside the service; needs --exec or --executor', {
    env: 'COUNTERSIGN_RUNNER',
  }),
  ...executionFlags,
  projectDir: projectDirFlag,
  concurrent: concurrentFlag,
  agents: textFlag('--agents <dir>', 'folder of named agents, NAME.json for each', {
    env: 'COUNTERSIGN_AGENTS',
  }),
  allowHosts: listFlag('--allow-host <host...>', 'names that callers may know the service by', {
    env: 'COUNTERSIGN_ALLOW_HOST',
  }),
  allowOrigins: listFlag('--allow-origin <origin...>', 'origins of pages that may call the service', {
    env: 'COUNTERSIGN_ALLOW_ORIGIN',
  }),
  logLevel: logLevelFlag,
  leaseMs: integerFlag('--lease-ms <ms>', 'how long a run is held without a heartbeat', {
    env: 'COUNTERSIGN_LEASE_MS',
    min: 100,
    max: DAY_MS,
  }),
  updateTimeoutMs: integerFlag('--update-timeout-ms <ms>', 'how long a state update run may take', {
    env: 'COUNTERSIGN_UPDATE_TIMEOUT_MS',
    min: 100,
    max: DAY_MS,
  }),
  updateAttempts: integerFlag('--update-attempts <n>', 'how often a child is asked to record its result', {
    env: 'COUNTERSIGN_UPDATE_ATTEMPTS',
    min: 1,
    max: 10,
  }),
  updateRetryDelayMs: integerFlag('--update-retry-delay-ms <ms>', 'between these', {
    env: 'COUNTERSIGN_UPDATE_RETRY_DELAY_MS',
    max: DAY_MS,
  }),
  runUnclaimedMs: integerFlag('--run-unclaimed-ms <ms>', 'when a run fails that no runner takes', {
    env: 'COUNTERSIGN_RUN_UNCLAIMED_MS',
    min: 100,
    max: 7 * DAY_MS,
  }),
  sessionHeartbeatMs: integerFlag(
    '--session-heartbeat-ms <ms>',
    'when an external child is lost that sent heartbeats and does not any more',
    { env: 'COUNTERSIGN_SESSION_HEARTBEAT_MS', min: 100, max: 365 * DAY_MS },
  ),
  sessionSilenceMs: integerFlag(
    '--session-silence-ms <ms>',
    'when any other external child is lost that gives no sign of life',
    { env: 'COUNTERSIGN_SESSION_SILENCE_MS', min: 100, max: 365 * DAY_MS },
  ),
  historyKeep: integerFlag('--history-keep <n>', 'versions of a state that are kept (default: all)', {
    env: 'COUNTERSIGN_HISTORY_KEEP',
    min: 1,
  }),
  historyMaxAge: durationFlag(
    '--history-max-age <span>',
    'age of the versions that are kept (default: any)',
    {
      env: 'COUNTERSIGN_HISTORY_MAX_AGE',
    },
  ),
  webhookAllow: listFlag(
    '--webhook-allow <cidr...>',
    'addresses that webhooks may reach beside public ones',
    {
      env: 'COUNTERSIGN_WEBHOOK_ALLOW',
    },
  ),
  webhookAllowPrivate: switchFlag(
    '--webhook-allow-private',
    'the same for all private and loopback addresses',
    {
      env: 'COUNTERSIGN_WEBHOOK_ALLOW_PRIVATE',
    },
  ),
  webhookTimeoutMs: integerFlag('--webhook-timeout-ms <ms>', 'how long one attempt to send may take', {
    env: 'COUNTERSIGN_WEBHOOK_TIMEOUT_MS',
    min: 100,
    max: 5 * 60_000,
  }),
  webhookBackoffMs: integerFlag(
    '--webhook-backoff-ms <ms>',
    'before the second attempt at most; it doubles',
    {
      env: 'COUNTERSIGN_WEBHOOK_BACKOFF_MS',
      min: 1,
      max: DAY_MS,
    },
  ),
  webhookRetryForMs: integerFlag('--webhook-retry-for-ms <ms>', 'how long a message is tried', {
    env: 'COUNTERSIGN_WEBHOOK_RETRY_FOR_MS',
    min: 1,
    max: 30 * DAY_MS,
  }),
  ...sizeFlags,
};

export function serveCommand({ serve }: WiredCommands): CommandSpec {
  return plainCommand({
    usage: 'serve',
    summary: 'run the coordinator',
    flags,
    examples: [
      'countersign serve --db /var/lib/countersign/countersign.db',
      'countersign serve --runner --executor claude-code --concurrent 2',
    ],
    notes: 'Any address but the loopback needs --auth.',
    run: ({ flags: given, io }) => {
      const execution = given.runner ? executionOf(given, given.agents !== undefined) : null;
      if (given.runner && execution === null) {
        throw new UsageError(
          'A runner needs to know what to execute: add --exec "<command>" (or COUNTERSIGN_EXEC)',
        );
      }
      const runner =
        execution !== null
          ? { execution, projectDir: resolve(given.projectDir), concurrentMax: given.concurrent }
          : null;
      const { host, port, db, auth, allowHosts, allowOrigins, logLevel } = given;
      return serve(
        {
          host,
          port,
          db,
          auth,
          tokensOutliveRuns: given.tokensOutliveRuns,
          runner,
          agents: given.agents === undefined ? null : resolve(given.agents),
          allowHosts,
          allowOrigins,
          logLevel,
          limits: { ...limitsOf(given), ...sizeLimitsOf(given) },
          webhookAllow: given.webhookAllowPrivate ? 'private' : given.webhookAllow,
        },
        io,
      );
    },
  });
}

function limitsOf(given: {
  tokenGrace: number | undefined;
  leaseMs: number | undefined;
  updateTimeoutMs: number | undefined;
  updateAttempts: number | undefined;
  updateRetryDelayMs: number | undefined;
  runUnclaimedMs: number | undefined;
  sessionHeartbeatMs: number | undefined;
  sessionSilenceMs: number | undefined;
  historyKeep: number | undefined;
  historyMaxAge: number | undefined;
  webhookTimeoutMs: number | undefined;
  webhookBackoffMs: number | undefined;
  webhookRetryForMs: number | undefined;
}): ServeOptions['limits'] {
  const limits = {
    sessionTokenGraceMs: given.tokenGrace,
    leaseMs: given.leaseMs,
    completionTimeoutMs: given.updateTimeoutMs,
    completionAttemptsMax: given.updateAttempts,
    completionRetryDelayMs: given.updateRetryDelayMs,
    runUnclaimedMs: given.runUnclaimedMs,
    sessionHeartbeatMs: given.sessionHeartbeatMs,
    sessionSilenceMs: given.sessionSilenceMs,
    historyVersionsMax: given.historyKeep,
    historyAgeMsMax: given.historyMaxAge,
    webhookTimeoutMs: given.webhookTimeoutMs,
    webhookBackoffMs: given.webhookBackoffMs,
    webhookRetryForMs: given.webhookRetryForMs,
  };
  return Object.fromEntries(
    Object.entries(limits).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
