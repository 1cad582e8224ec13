// One claimed run, from its claim until its end is reported. Knows no other run, and not how an agent is run.
import type { ErrorCode, Outcome } from '../domain/errors.js';
import { DEFAULT_LIMITS } from '../domain/limits.js';
import type { ClaimedRun, RunView } from '../ports/api/index.js';
import type { Clock, Logger } from '../ports/runtime.js';
import type { RunnerService } from '../ports/service.js';
import { boundText } from './bounded-output.js';
import type { CoordinatorLink } from './coordinator-link.js';
import type { EndReason, ExecutionResult, Executor } from './executor.js';
import { agentOf } from './run-agent.js';
import { finalReport, reducedReport, valueRefusal, type FinalReport, type Lease } from './reports.js';

export interface HeldRun {
  readonly runId: string;
  readonly attempt: number;
  readonly leaseToken: string;
  /** False once the run is someone else's: it is kept only until its process is gone. */
  readonly isHeld: () => boolean;
  /** Ends the execution; the first reason counts, but for `lost`, which nothing takes back. */
  readonly end: (reason: EndReason) => void;
  /** Resolves when nothing is left of it: not executing, and reported or not to be reported. Never rejects. */
  readonly settled: Promise<void>;
}

export interface HeldRunOptions {
  readonly run: ClaimedRun;
  /** `null` where the runner has none that the run could be executed by. */
  readonly executor: Executor | null;
  readonly executorType: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly projectDir: string;
  readonly resultBytesMax: number;
  /** Holds the execution back until then. */
  readonly after: Promise<void>;
  readonly service: RunnerService;
  readonly link: CoordinatorLink;
  readonly logger: Logger;
  readonly clock: Clock;
}

/** Codes that say that the run is held by another, or by nobody. */
const GONE: ReadonlySet<ErrorCode> = new Set(['lease_lost', 'run_not_found', 'session_not_found']);

export function holdRun(options: HeldRunOptions): HeldRun {
  const { run, service, link, logger, clock } = options;
  const ending = new AbortController();
  let endedFor: EndReason | null = null;
  let lost = false;

  function end(reason: EndReason): void {
    if (reason === 'lost') lost = true;
    endedFor ??= reason;
    ending.abort(reason);
  }

  /** @returns The code of a refusal that is final; `null` where the report was taken, or is not to be made any more. */
  async function report(
    what: string,
    send: (lease: Lease) => Promise<Outcome<RunView>>,
  ): Promise<{ error: ErrorCode; detail: string } | null> {
    if (lost) return null;
    const lease = { attempt: run.attempt, lease_token: run.lease_token };
    const outcome = await link.call(`report ${what}`, (runnerId) => send({ ...lease, runner_id: runnerId }));
    if (outcome?.ok !== false) return null;
    if (!GONE.has(outcome.refusal.error)) return outcome.refusal;
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
    const reportWith = (valueRefused: string | null) =>
      finalReport(result, endedFor, options.resultBytesMax, valueRefused);
    let said = reportWith(null);
    let refusal = await sendFinal(said);
    if (refusal === null) return;
    logger.warn(
      { run_id: run.run_id, ...refusal },
      'the result was refused; it is reported without what may be wrong',
    );
    if (result.kind === 'completed' && result.stateValue !== undefined) {
      said = reportWith(valueRefusal(refusal, run.contract?.pointer ?? ''));
      refusal = await sendFinal(said);
      if (refusal === null) return;
    }
    const last = await sendFinal(reducedReport(said, refusal));
    if (last !== null)
      logger.error({ run_id: run.run_id, ...last }, 'the end of the run could not be reported');
  }

  async function execute(onStarted: (executorSessionId: string | null) => void): Promise<ExecutionResult> {
    const { executor, environment, projectDir } = options;
    if (executor === null) return failedHere(`This runner has no executor of type ${options.executorType}`);
    const agent = agentOf(run, { environment, projectDir, own: process.env });
    if (typeof agent === 'string') return failedHere(agent);
    try {
      return await executor.execute(run, {
        environment,
        projectDir,
        agent,
        signal: ending.signal,
        onStarted,
        onNote: (note, executor_session_id) =>
          logger.warn({ run_id: run.run_id, session: run.session_name, executor_session_id }, note),
      });
    } catch (error) {
      logger.error({ run_id: run.run_id, error: String(error) }, 'the executor broke');
      return failedHere(`The executor broke: ${String(error)}`);
    }
  }

  async function live(): Promise<void> {
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
    const refusal = await started;
    if (refusal !== null) logger.warn({ ...fields, ...refusal }, 'the start of the run was refused');
    await reportEnd(result);
  }

  const settled = live().catch((error: unknown) => {
    logger.error({ run_id: run.run_id, error: String(error) }, 'the runner broke on a run');
  });
  return {
    runId: run.run_id,
    attempt: run.attempt,
    leaseToken: run.lease_token,
    isHeld: () => !lost,
    end,
    settled,
  };
}

const NOT_BEGUN: ExecutionResult = { kind: 'stopped', resultText: null, resultData: null };

/** In the log, where it stands beside others, in short. */
function whyFailed({ cause, error }: ExecutionResult & { kind: 'failed' }) {
  return { cause, error: boundText(error, DEFAULT_LIMITS.logErrorCharactersMax, 0.5) };
}

function failedHere(error: string): ExecutionResult {
  return { kind: 'failed', error, cause: 'environment', resultText: null, resultData: null };
}
