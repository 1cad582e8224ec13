// `countersign state wait`: waits for a condition, for example in a CI job; exit codes tell match, failure and
// timeout apart.
import type { JsonValue } from '../../../domain/json/json.js';
import { valueAt } from '../../../domain/json/pointer.js';
import { ConnectionError, waitForState } from '../../../client/index.js';
import { untilAnswered } from '../../../client/until-answered.js';
import type { Countersign, StateService } from '../../../ports/service.js';
import type { WorkflowService } from '../../../ports/workflow-service.js';
import { isConditionName } from '../../../domain/workflow/named-conditions.js';
import { clientCommand } from '../../client-command.js';
import { readDocument } from '../../files/document.js';
import { EXIT } from '../../text/exit-codes.js';
import { durationFlag, textFlag } from '../../flag.js';
import type { CliIo } from '../../io/io.js';
import type { Output } from '../../text/output.js';
import { UsageError } from '../../usage-error.js';
import { conditionOf, indexTooLong, placesBeforeLongIndices } from './state-condition.js';
import { stateOf } from './state-target.js';

export const stateWait = clientCommand(
  {
    usage: 'wait [state]',
    summary: 'wait until a workflow state satisfies a condition',
    flags: {
      until: textFlag(
        '--until <condition>',
        'what has to hold: POINTER=VALUE, or verdicts-clear, phase=complete',
      ),
      untilSchema: textFlag('--until-schema <file>', 'JSON Schema that the document has to satisfy'),
      failOn: textFlag('--fail-on <condition>', 'POINTER=VALUE on which to give up'),
      failOnSchema: textFlag('--fail-on-schema <file>', 'JSON Schema of documents on which to give up'),
      timeout: durationFlag('--timeout <span>', 'how long to wait (default: without end)'),
    },
    examples: [
      "countersign state wait wfstate_1 --until '/status=completed' --fail-on '/status=failed' --timeout 10m",
      'countersign state wait wfstate_1 --until-schema ./released.json',
    ],
    notes: [
      `Ends with ${String(EXIT.ok)} when the condition holds, ${String(EXIT.timedOut)} when the time is over, and ${String(EXIT.cannotMatch)} when the one of`,
      '--fail-on holds instead. Meanwhile the service may be restarted. A VALUE is JSON where it is, else a text.',
    ].join('\n'),
    run: async (input) => {
      const { flags, out, io } = input;
      const deadline = performance.now() + (flags.timeout ?? Infinity);
      const client = patient(input.client, deadline);
      const stateId = await stateOf({ ...input, client });
      const until = await condition('--until', flags.until, flags.untilSchema, io);
      if (until === undefined)
        throw new UsageError('Nothing to wait for is named: add --until or --until-schema');
      const failOn = await condition('--fail-on', flags.failOn, flags.failOnSchema, io);
      await checkIndices(client.states, stateId, '--until', flags.until);
      await checkIndices(client.states, stateId, '--fail-on', flags.failOn);
      const result = await waitForState(
        input.client.states,
        stateId,
        { until, failOn },
        { timeoutMs: Math.max(0, deadline - performance.now()) },
      );
      const code = out.show(result, (state) => {
        const what = state.matched
          ? 'matches'
          : state.failed === true
            ? 'can no longer match'
            : 'does not match yet';
        return `${state.state_id}  version ${String(state.version)} ${what}\n`;
      });
      if (!result.ok || result.value.matched) return code;
      if (flags.until === 'verdicts-clear') await noteVerdicts(input.client.workflow, stateId, out);
      return result.value.failed === true ? EXIT.cannotMatch : EXIT.timedOut;
    },
  },
  false,
);

/** The client with requests that are repeated until the deadline while the service does not answer: it may restart. */
function patient(client: Countersign, deadline: number): Countersign {
  const { sessions, states } = client;
  return {
    ...client,
    sessions: { ...sessions, get: (session) => untilAnswered(() => sessions.get(session), { deadline }) },
    states: { ...states, wait: (...args) => untilAnswered(() => states.wait(...args), { deadline }) },
  };
}

/** Prints which verdicts block. Prints nothing if the service is unreachable: the result of the wait is known without it. */
async function noteVerdicts(workflow: WorkflowService, stateId: string, out: Output): Promise<void> {
  const found = await workflow.show(stateId).catch((error: unknown) => {
    if (error instanceof ConnectionError) return null;
    throw error;
  });
  if (found?.ok !== true) return;
  const { blocked_by: blocking } = found.value.verdicts;
  if (blocking.length === 0) out.note('No agent has given a verdict.');
  for (const one of blocking) out.note(`${one.agent}: ${one.decision}: ${one.reasoning}`);
}

/** @throws UsageError If the condition names an array item above the largest index of a short condition. */
async function checkIndices(
  states: StateService,
  stateId: string,
  flag: string,
  short: string | undefined,
): Promise<void> {
  const isShort = short !== undefined && !isConditionName(short);
  const locations = isShort ? placesBeforeLongIndices(short, flag) : [];
  if (locations.length === 0) return;
  // No `get`: that would move the read cursor of a session to values that it is not shown.
  const found = await states.wait(stateId, { until: {}, timeout_ms: 0 });
  if (!found.ok) return;
  for (const location of locations) {
    if (Array.isArray(valueAt(found.value.current_data, location))) throw indexTooLong(location, flag);
  }
}

/** @throws UsageError If both forms are given. */
async function condition(
  flag: string,
  short: string | undefined,
  schema: string | undefined,
  io: CliIo,
): Promise<JsonValue | undefined> {
  if (short !== undefined && schema !== undefined) {
    throw new UsageError(`${flag} and ${flag}-schema are two forms of the same: give one`);
  }
  if (short !== undefined) return isConditionName(short) ? short : conditionOf(short, flag);
  return schema === undefined ? undefined : readDocument(schema, io);
}
