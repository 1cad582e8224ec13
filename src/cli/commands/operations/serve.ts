// `countersign serve`: flags of the coordinator.
import { resolve } from 'node:path';
import { plainCommand, type CommandSpec } from '../../command.js';
import {
  byDefault,
  choiceFlag,
  durationFlag,
  integerFlag,
  listFlag,
  limitFlag,
  switchFlag,
  textFlag,
  type Values,
} from '../../flag.js';
import { UsageError } from '../../usage-error.js';
import type { ServeOptions, WiredCommands } from '../../wiring.js';
import { given } from '../page.js';
import {
  allowHostsFlag,
  allowOriginsFlag,
  concurrentFlag,
  dbFlag,
  executionFlags,
  executionOf,
  logLevelFlag,
  projectDirFlag,
} from './process-flags.js';
import { sizeFlags, sizeLimitsOf } from './size-flags.js';

const DAY_MS = 86_400_000;
const ON_OFF = ['on', 'off'] as const;

const flags = {
  host: byDefault(textFlag('--host <host>', 'address to listen on', { env: true }), '127.0.0.1'),
  port: byDefault(
    integerFlag('--port <n>', 'port to listen on, 0 for any', { env: true, max: 65_535 }),
    4717,
  ),
  db: dbFlag,
  auth: switchFlag('--auth', 'every caller has to show a token', { env: true }),
  tokenGrace: durationFlag(
    '--token-grace <span>',
    'how long the token of a run counts after its work is done',
    { env: true },
  ),
  tokensOutliveRuns: switchFlag(
    '--tokens-outlive-runs',
    'tokens of runs count for their whole time, not only until the work is done',
    { env: true },
  ),
  stateContext: byDefault(
    choiceFlag('--state-context <switch>', 'say in first prompts of children what to record', ON_OFF, {
      env: true,
    }),
    'on',
  ),
  stateSummary: byDefault(
    choiceFlag('--state-summary <switch>', 'put a summary of the state beside callbacks', ON_OFF, {
      env: true,
    }),
    'on',
  ),
  runner: switchFlag('--runner', 'run a runner beside the service; needs --exec or --executor', {
    env: true,
  }),
  ...executionFlags,
  projectDir: projectDirFlag,
  concurrent: concurrentFlag,
  agents: textFlag('--agents <dir>', 'folder of named agents, NAME.json for each', { env: true }),
  allowHosts: allowHostsFlag,
  allowOrigins: allowOriginsFlag,
  logLevel: logLevelFlag,
  leaseMs: limitFlag('--lease-ms <ms>', 'how long a run is held without a heartbeat', 100, DAY_MS),
  updateTimeoutMs: limitFlag('--update-timeout-ms <ms>', 'how long a state update run may take', 100, DAY_MS),
  updateAttempts: limitFlag(
    '--update-attempts <n>',
    'how often a child is asked to record its result',
    1,
    10,
  ),
  updateRetryDelayMs: integerFlag('--update-retry-delay-ms <ms>', 'between these', {
    env: true,
    max: DAY_MS,
  }),
  runUnclaimedMs: limitFlag(
    '--run-unclaimed-ms <ms>',
    'when a run fails that no runner takes',
    100,
    7 * DAY_MS,
  ),
  sessionHeartbeatMs: limitFlag(
    '--session-heartbeat-ms <ms>',
    'when an external child is lost that sent heartbeats and does not any more',
    100,
    365 * DAY_MS,
  ),
  sessionSilenceMs: limitFlag(
    '--session-silence-ms <ms>',
    'when any other external child is lost that gives no sign of life, and any child that nobody starts',
    100,
    365 * DAY_MS,
  ),
  historyKeep: integerFlag('--history-keep <n>', 'versions of a state that are kept (default: all)', {
    env: true,
    min: 1,
  }),
  historyMaxAge: durationFlag(
    '--history-max-age <span>',
    'age of the versions that are kept (default: any)',
    { env: true, min: 1 },
  ),
  endedInvocationsMax: limitFlag(
    '--ended-invocations-max <n>',
    'ended invocations in a workflow record, before the oldest are archived',
    3,
    1000,
  ),
  workflowArchiveMaxAge: durationFlag(
    '--workflow-archive-max-age <span>',
    'age of the archived invocations that are kept (default: 30d)',
    { env: true },
  ),
  webhookAllow: listFlag(
    '--webhook-allow <cidr...>',
    'addresses that webhooks may reach beside public ones',
    { env: true },
  ),
  webhookAllowPrivate: switchFlag(
    '--webhook-allow-private',
    'the same for all private and loopback addresses',
    { env: true },
  ),
  webhookTimeoutMs: limitFlag(
    '--webhook-timeout-ms <ms>',
    'how long one attempt to send may take',
    100,
    5 * 60_000,
  ),
  webhookBackoffMs: limitFlag(
    '--webhook-backoff-ms <ms>',
    'before the second attempt at most; it doubles',
    1,
    DAY_MS,
  ),
  webhookRetryForMs: limitFlag('--webhook-retry-for-ms <ms>', 'how long a message is tried', 1, 30 * DAY_MS),
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
    run: ({ flags: values, io }) => {
      const execution = values.runner ? executionOf(values, values.agents !== undefined) : null;
      if (values.runner && execution === null) {
        throw new UsageError(
          'A runner needs to know what to execute: add --exec "<command>" (or COUNTERSIGN_EXEC)',
        );
      }
      const runner =
        execution !== null
          ? { execution, projectDir: resolve(values.projectDir), concurrentMax: values.concurrent }
          : null;
      const { host, port, db, auth, allowHosts, allowOrigins, logLevel } = values;
      return serve(
        {
          host,
          port,
          db,
          auth,
          tokensOutliveRuns: values.tokensOutliveRuns,
          runner,
          statePrompts: { context: values.stateContext === 'on', summary: values.stateSummary === 'on' },
          agents: values.agents === undefined ? null : resolve(values.agents),
          allowHosts,
          allowOrigins,
          logLevel,
          limits: { ...limitsOf(values), ...sizeLimitsOf(values) },
          webhookAllow: values.webhookAllowPrivate ? 'private' : values.webhookAllow,
        },
        io,
      );
    },
  });
}

function limitsOf(values: Values<typeof flags>): ServeOptions['limits'] {
  return given({
    sessionTokenGraceMs: values.tokenGrace,
    leaseMs: values.leaseMs,
    completionTimeoutMs: values.updateTimeoutMs,
    completionAttemptsMax: values.updateAttempts,
    completionRetryDelayMs: values.updateRetryDelayMs,
    runUnclaimedMs: values.runUnclaimedMs,
    sessionHeartbeatMs: values.sessionHeartbeatMs,
    sessionSilenceMs: values.sessionSilenceMs,
    historyVersionsMax: values.historyKeep,
    historyAgeMsMax: values.historyMaxAge,
    endedInvocationsMax: values.endedInvocationsMax,
    workflowArchivesKeptMs: values.workflowArchiveMaxAge,
    webhookTimeoutMs: values.webhookTimeoutMs,
    webhookBackoffMs: values.webhookBackoffMs,
    webhookRetryForMs: values.webhookRetryForMs,
  });
}
