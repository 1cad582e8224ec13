// Builds the final reports of runs. Pure.
import type { Failure } from '../domain/errors.js';
import type { JsonValue } from '../domain/json/json.js';
import type { FailureCause } from '../domain/records/records.js';
import type { RunCompleted, RunFailed, RunStopped } from '../ports/api/index.js';
import { boundText } from './bounded-output.js';
import type { EndReason, ExecutionResult } from './executor.js';

/** Reasons for which an ended run is given back: it did not end by itself. */
const GIVEN_BACK: Partial<Record<EndReason, string>> = {
  shutdown: 'the runner was shut down',
  excess: 'the runner had no room for the run',
};

const ERROR_BYTES_MAX = 16 * 1024;
const REASON_BYTES_MAX = 4096;

/** The lease that proves that this runner holds the run. */
export interface Lease {
  readonly runner_id: string;
  readonly attempt: number;
  readonly lease_token: string;
}

/** The body of a final report, without its lease. */
export type FinalReport =
  | { readonly what: 'completed'; readonly body: Omit<RunCompleted, keyof Lease> }
  | { readonly what: 'failed'; readonly body: Omit<RunFailed, keyof Lease> }
  | { readonly what: 'stopped'; readonly body: Omit<RunStopped, keyof Lease> };

/**
 * Builds the final report. A run that is given back is reported as failed with cause `environment`, so that
 * another runner takes it.
 *
 * @param endedFor - Why the run was ended from outside; `null` if it was not.
 * @param failure - Replaces the value to record: see `valueFailure`.
 */
export function finalReport(
  result: ExecutionResult,
  endedFor: EndReason | null,
  resultBytesMax: number,
  failure: string | null,
): FinalReport {
  const text = result.resultText === null ? null : boundText(result.resultText, resultBytesMax);
  const output = { result_text: text, result_data: result.resultData };
  const usage = result.usage === undefined ? {} : { usage: result.usage };
  if (result.kind === 'completed') {
    return { what: 'completed', body: { ...output, ...usage, ...valueIn(result.stateValue, failure) } };
  }
  if (result.kind === 'failed')
    return { what: 'failed', body: { ...output, ...usage, ...failureFields(result) } };
  const error = endedFor === null ? undefined : GIVEN_BACK[endedFor];
  return error === undefined
    ? { what: 'stopped', body: { ...output, ...usage } }
    : { what: 'failed', body: { ...output, ...usage, error, cause: 'environment' } };
}

function valueIn(value: JsonValue | undefined, failure: string | null) {
  if (value === undefined) return {};
  return failure === null ? { state_value: value } : { state_value_refused: failure };
}

function failureFields({ error, cause }: { error: string; cause: FailureCause }) {
  return { error: boundText(error, ERROR_BYTES_MAX, 0), cause };
}

type Refused = Pick<Failure, 'error' | 'detail'>;

/**
 * The message that replaces a value if the service rejected the report with it: the value may be the cause, and
 * the agent that produced it must learn the reason.
 *
 * @param pointer - Pointer at which the value would have been recorded.
 */
export function valueFailure({ error, detail }: Refused, pointer: string): string {
  const message = `was refused as it is (${error}): ${detail.replaceAll('/state_value', pointer)}`;
  return boundText(message, REASON_BYTES_MAX, 1);
}

/** The report without its result data; `null` if it has none. The text holds the data too, and says why. */
export function withoutData(
  report: FinalReport,
  refused: Refused,
  resultBytesMax: number,
): FinalReport | null {
  if (report.body.result_data == null) return null;
  const text = `${report.body.result_text ?? ''}\n${noteOf('The result data', refused)}`;
  const output = { result_text: boundText(text, resultBytesMax), result_data: null };
  switch (report.what) {
    case 'completed':
      return { what: 'completed', body: { ...report.body, ...output } };
    case 'failed':
      return { what: 'failed', body: { ...report.body, ...output } };
    case 'stopped':
      return { what: 'stopped', body: { ...report.body, ...output } };
  }
}

const noteOf = (what: string, { error, detail }: Refused) =>
  `[${what} was refused by the service: ${error}: ${detail}]`;

/** The shortened report if the service rejects the result itself: the end of the run, and its text in short. */
export function reducedReport(report: FinalReport, refused: Refused): FinalReport {
  const text = report.body.result_text ?? '';
  const note = noteOf('The rest of the result', refused);
  const reduced: { result_text: string; result_data: JsonValue } = {
    result_text: boundText(`${boundText(text, ERROR_BYTES_MAX / 2)}\n${note}`, ERROR_BYTES_MAX),
    result_data: null,
  };
  if (report.what === 'failed') {
    return {
      what: 'failed',
      body: { ...reduced, ...failureFields({ ...report.body, cause: report.body.cause ?? 'agent' }) },
    };
  }
  if (report.what === 'stopped') return { what: 'stopped', body: reduced };
  const { state_value_refused: valueRefused } = report.body;
  return {
    what: 'completed',
    body: { ...reduced, ...(valueRefused === undefined ? {} : { state_value_refused: valueRefused }) },
  };
}
