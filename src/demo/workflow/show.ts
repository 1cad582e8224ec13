// The workflow demonstration: an orchestrator delegates to three agents. It records hand-offs and verdicts, and the service
// records by itself who was asked what and what came of it.
import { table, time, type Style } from '../../cli/text/table.js';
import { createClient, type CountersignService, type JsonValue } from '../../client/index.js';
import { isJsonArray, isJsonObject, type JsonObject } from '../../domain/json/json.js';
import { objectMember, textMember } from '../../domain/json/members.js';
import { DemoFault, valueOrThrow } from '../fault.js';
import { ORCHESTRATOR, type AgentName } from './agents.js';

export interface WorkflowDemoSetting {
  readonly url: string;
  readonly style: Style;
  readonly write: (text: string) => void;
  /** Stops the demonstration. */
  readonly signal: AbortSignal;
}

/** Longest wait for one agent. */
const AGENT_MS_MAX = 30_000;

/** Agents by the number of times that they were asked. */
type Asked = Map<AgentName, number>;

interface DemoContext {
  readonly service: CountersignService;
  readonly stateId: string;
  readonly asked: Asked;
  readonly write: (text: string) => void;
}

/**
 * Shows the demonstration.
 *
 * @returns True where the record is complete, and no agent has written to the state.
 * @throws DemoFault It cannot go on. `signal.reason` where that stopped it.
 */
export async function showWorkflowDemo({ url, style, write, signal }: WorkflowDemoSetting): Promise<boolean> {
  const service = createClient({ url, signal });
  const session = { session_name: ORCHESTRATOR, external: true, delivery: 'pull' as const };
  valueOrThrow(await service.sessions.create(session));
  const { state_id: stateId } = valueOrThrow(
    await service.states.create({
      schema_name: 'orchestrator-workflow',
      initial_data: { active_feature: 'a faster search' },
      root_session_name: ORCHESTRATOR,
    }),
  );
  write('An orchestrator has three agents make a search faster. None of them keeps a record.\n\n');
  await runWorkflow({ service, stateId, asked: new Map(), write });
  return report(service, stateId, { style, write });
}

async function runWorkflow(scene: DemoContext): Promise<void> {
  const { service, stateId, write } = scene;
  const { workflow } = service;
  await ask(scene, 'analyst', 'Find out why the search is slow.');
  valueOrThrow(
    await workflow.handOff(stateId, {
      from_agent: 'analyst',
      to_agent: 'implementer',
      reason: 'The cause is known.',
      context: 'An index is missing.',
      artifacts: ['report.md'],
    }),
  );
  write('  orchestrator  hands off from analyst to implementer\n');
  valueOrThrow(await workflow.setPhase(stateId, { phase: 'implementation' }));
  await ask(scene, 'implementer', 'Mend it.');
  valueOrThrow(await workflow.setPhase(stateId, { phase: 'validation' }));
  if (!(await review(scene))) {
    await ask(scene, 'implementer', 'Do what the critic wants.');
    await review(scene);
  }
  const { verdicts } = valueOrThrow(await workflow.show(stateId));
  if (verdicts.clear) valueOrThrow(await workflow.setPhase(stateId, { phase: 'complete' }));
}

/** Has the critic look, and records what it says. @returns Whether it approves. */
async function review(scene: DemoContext): Promise<boolean> {
  const answer = await ask(scene, 'critic', 'Is it good?');
  const approves = answer.startsWith('APPROVE');
  valueOrThrow(
    await scene.service.workflow.addVerdict(scene.stateId, {
      agent: 'critic',
      decision: approves ? 'approve' : 'reject',
      confidence: 0.9,
      reasoning: answer.replace(/^[A-Z]+: /, ''),
    }),
  );
  return approves;
}

/** Gives an agent work, and waits for the callback. @returns What it said. */
async function ask(
  { service, asked, write }: DemoContext,
  agent: AgentName,
  prompt: string,
): Promise<string> {
  const times = (asked.get(agent) ?? 0) + 1;
  asked.set(agent, times);
  write(`  ${agent.padEnd(12)}  ${times === 1 ? 'starts' : 'goes on'}\n`);
  const work = { prompt: `${prompt} [asked ${String(times)}]`, callback: true };
  valueOrThrow(
    times === 1
      ? await service.runs.create({
          type: 'start_session',
          session_name: agent,
          agent_name: agent,
          parent_session_name: ORCHESTRATOR,
          completion: { mode: 'never' },
          ...work,
        })
      : await service.runs.create({ type: 'resume_session', session_name: agent, ...work }),
  );
  const { items } = valueOrThrow(await service.sessions.pullCallbacks(ORCHESTRATOR, AGENT_MS_MAX));
  const [callback] = items;
  if (callback === undefined) throw new DemoFault(`The ${agent} did not come back in time.`);
  valueOrThrow(await service.callbacks.acknowledge(callback.callback_id));
  const { result_text: said } = valueOrThrow(await service.sessions.result(agent));
  const text = (said ?? '').trim();
  write(`  ${agent.padEnd(12)}  "${text}"\n`);
  return text;
}

async function report(
  service: CountersignService,
  stateId: string,
  { style, write }: Pick<WorkflowDemoSetting, 'style' | 'write'>,
): Promise<boolean> {
  const { current_data: document } = valueOrThrow(await service.states.get(stateId));
  const history = listAt(document, 'agent_history');
  const verdicts = listAt(document, 'verdicts');
  const { events } = valueOrThrow(await service.states.events(stateId, {}));
  const writers = new Set(events.map(({ session_id }) => session_id));
  const view = valueOrThrow(await service.workflow.show(stateId));
  const row = (one: JsonObject) => [
    textAt(one, 'agent'),
    textAt(one, 'status'),
    textAt(one, 'handoff_from'),
    time(textAt(one, 'completed_at')),
    textAt(objectMember(one, 'output'), 'summary').trim(),
  ];
  write(`\nThe record (phase ${view.phase}, version ${String(view.version)}):\n`);
  write(table(['agent', 'status', 'from', 'ended', 'summary'], history.map(row), style));
  const verdictRows = verdicts.map((one) => [
    textAt(one, 'agent'),
    textAt(one, 'decision'),
    textAt(one, 'reasoning'),
  ]);
  write(`\n${table(['verdict of', 'decision', 'reasoning'], verdictRows, style)}`);
  write(`\nVerdicts: ${view.verdicts.clear ? 'clear' : 'not clear'}. Pending hand-offs: `);
  write(
    `${String(view.pending_handoffs.length)}. Writes by agents: ${String(writers.size - (writers.has(null) ? 1 : 0))}.\n`,
  );
  return (
    history.length === 5 &&
    history.every(({ status }) => status === 'completed') &&
    verdictRows.map(([, decision]) => decision).join(' ') === 'reject approve' &&
    view.pending_handoffs.length === 0 &&
    view.phase === 'complete' &&
    writers.size === 1
  );
}

function listAt(document: JsonValue, name: string): readonly JsonObject[] {
  const record = isJsonObject(document) ? document['orchestrator_workflow'] : undefined;
  const list = isJsonObject(record) ? record[name] : undefined;
  return isJsonArray(list) ? list.filter(isJsonObject) : [];
}

function textAt(object: JsonObject, member: string): string {
  return textMember(object, member) ?? '';
}
