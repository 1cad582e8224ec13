// One claimed run, from its claim until its end is reported. Knows no other run, and not how an agent is run.
import type { ErrorCode, Result } from '../domain/errors.js';
import { DEFAULT_LIMITS } from '../domain/limits.js';
import type { ClaimedRun, RunView } from '../ports/api/index.js';
import type { Clock, Logger } from '../ports/runtime.js';
import type { RunnerService } from '../ports/service.js';
import { boundText } from './bounded-output.js';
import type { CoordinatorLink } from './coordinator-link.js';
import { failed, NO_OUTPUT, type EndReason, type ExecutionResult, type Executor } from './executor.js';
import { agentOf } from './run-agent.js';
import {
  finalReport,
  reducedReport,
  valueFailure,
  withoutData,
  type FinalReport,
  type Lease,
} from './reports.js';

export interface HeldRun {
  readonly runId: string;
  readonly attempt: number;
  readonly leaseToken: string;
  /** False once another runner holds the run; it is then kept only until its process has ended. */
  readonly isHeld: () => boolean;
  /** Ends the execution. The first reason counts, but `lost` always takes effect. */
  readonly end: (reason: EndReason) => void;
  /**
   * Resolves when nothing is left: the process has ended, and the end is reported or must not be reported. Never
   * rejects.
   */
  readonly settled: Promise<void>;
}

interface HeldRunOptions {
  readonly run: ClaimedRun;
  /** `null` if the runner has no executor for the run. */
  readonly executor: Executor | null;
  readonly executorType: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly projectDir: string;
  readonly resultBytesMax: number;
  /** The execution begins only after this resolves. */
  readonly after: Promise<void>;
  readonly service: RunnerService;
  readonly link: CoordinatorLink;
  readonly logger: Logger;
  readonly clock: Clock;
}

/** Codes which mean that another runner holds the run, or none. */
const GONE: ReadonlySet<ErrorCode> = new Set(['lease_lost', 'run_not_found', 'session_not_found']);

/**
 * Executes a claimed run and reports its start and end, repeatedly until each report is accepted or rejected for
 * good.
 */
export function holdRun(options: HeldRunOptions): HeldRun {
  const { run, service, link, logger, clock } = options;
  const ending = new AbortController();
  const losing = new AbortController();
  const lost = losing.signal;
  let endedFor: EndReason | null = null;

  function end(reason: EndReason): void {
    if (reason === 'lost') losing.abort();
    endedFor ??= reason;
    ending.abort(reason);
  }

  /** @returns The final failure of a report; `null` if it was accepted, or must not be made any more. */
  async function report(
    what: string,
    send: (lease: Lease) => Promise<Result<RunView>>,
  ): Promise<{ error: ErrorCode; detail: string } | null> {
    if (lost.aborted) return null;
    const lease = { attempt: run.attempt, lease_token: run.lease_token };
    const result = await link.call(`report ${what}`, (runnerId) => send({ ...lease, runner_id: runnerId }));
    if (result?.ok !== false) return null;
    if (!GONE.has(result.failure.error)) return result.failure;
    logger.warn(
      { run_id: run.run_id, attempt: run.attempt, what },
      'the run is held by another; it is dropped',
    );
    end('lost');
    return null;
  }

  const sendFinal = ({ what, body }: FinalReport) =>
    report(what, (lease) => {
      if (what === 'completed') return service.completed(run.run_id, { ...body, ...lease });
      if (what === 'failed') return service.failed(run.run_id, { ...body, ...lease });
      return service.stopped(run.run_id, { ...body, ...lease });
    });

  async function reportEnd(result: ExecutionResult): Promise<void> {
    const reportWith = (valueFailure: string | null) =>
      finalReport(result, endedFor, options.resultBytesMax, valueFailure);
    let body = reportWith(null);
    let failure = await sendFinal(body);
    if (failure === null) return;
    logger.warn(
      { run_id: run.run_id, ...failure },
      'the result was refused; it is reported without what may be wrong',
    );
    if (result.kind === 'completed' && result.stateValue !== undefined) {
      body = reportWith(valueFailure(failure, run.contract?.pointer ?? ''));
      failure = await sendFinal(body);
      if (failure === null) return;
    }
    const withText = withoutData(body, failure, options.resultBytesMax);
    if (withText !== null) {
      failure = await sendFinal(withText);
      if (failure === null) return;
    }
    const last = await sendFinal(reducedReport(body, failure));
    if (last !== null)
      logger.error({ run_id: run.run_id, ...last }, 'the end of the run could not be reported');
  }

  async function execute(onStarted: (executorSessionId: string | null) => void): Promise<ExecutionResult> {
    const { executor, environment, projectDir } = options;
    if (executor === null)
      return failed(NO_OUTPUT, `This runner has no executor of type ${options.executorType}`);
    const agent = agentOf(run, { environment, projectDir, own: process.env });
    if (typeof agent === 'string') return failed(NO_OUTPUT, agent);
    try {
      return await executor.execute(run, {
        environment,
        projectDir,
        agent,
        signal: ending.signal,
        lost,
        onStarted,
        onNote: (note, executor_session_id) =>
          logger.warn({ run_id: run.run_id, session: run.session_name, executor_session_id }, note),
      });
    } catch (error) {
      logger.error({ run_id: run.run_id, error: String(error) }, 'the executor broke');
      return failed(NO_OUTPUT, `The executor broke: ${String(error)}`);
    }
  }

  async function runToEnd(): Promise<void> {
    await options.after;
    const from = clock.now();
    let started: ReturnType<typeof report> = Promise.resolve(null);
    const result = ending.signal.aborted
      ? NOT_BEGUN
      : await execute((executorSessionId) => {
          started = report('started', (lease) =>
            service.started(run.run_id, {
              ...lease,
              executor_type: options.executorType,
              executor_session_id: executorSessionId,
            }),
          );
        });
    const fields = { run_id: run.run_id, session: run.session_name, attempt: run.attempt };
    const ended = { ...fields, end: result.kind, duration_ms: clock.now() - from };
    if (result.kind === 'failed') logger.warn({ ...ended, ...whyFailed(result) }, 'run failed');
    else logger.info(ended, 'run ended');
    const failure = await started;
    if (failure !== null) logger.warn({ ...fields, ...failure }, 'the start of the run was refused');
    await reportEnd(result);
  }

  const settled = runToEnd().catch((error: unknown) => {
    logger.error({ run_id: run.run_id, error: String(error) }, 'the runner broke on a run');
  });
  return {
    runId: run.run_id,
    attempt: run.attempt,
    leaseToken: run.lease_token,
    isHeld: () => !lost.aborted,
    end,
    settled,
  };
}

const NOT_BEGUN: ExecutionResult = { kind: 'stopped', ...NO_OUTPUT };

/** Shortened for the log. */
function whyFailed({ cause, error }: ExecutionResult & { kind: 'failed' }) {
  return { cause, error: boundText(error, DEFAULT_LIMITS.logErrorCharactersMax, 0.5) };
}
