// `countersign workflow …`: the workflow record of an orchestrator, one command for each entry.
import { isJsonObject, type JsonObject } from '../../../domain/json/json.js';
import { clientCommand } from '../../client-command.js';
import type { CommandSpec } from '../../command.js';
import { readDocument } from '../../files/document.js';
import { choiceFlag, listFlag, required, switchFlag, textFlag } from '../../flag.js';
import type { CliIo } from '../../io/io.js';
import { UsageError } from '../../usage-error.js';
import { OF_RUN, stateOf } from '../states/state-target.js';
import { decimalFlag } from './decimal-flag.js';
import { archiveCommands } from './archives.js';
import { verdictsText, workflowText, writtenText } from './workflow-text.js';

const agent = required(textFlag('--agent <agent>', 'name of the agent'));
const artifact = listFlag('--artifact <name>', 'a file or link, several times');
const blocker = listFlag('--blocker <text>', 'what stands in the way, several times');

/** A list that was given; absent otherwise. */
function some<K extends string>(name: K, list: readonly string[]): Partial<Record<K, string[]>> {
  return list.length === 0 ? {} : ({ [name]: [...list] } as Record<K, string[]>);
}

/** @throws UsageError If it is no JSON object. */
async function objectOf(given: string, flag: string, io: CliIo): Promise<JsonObject> {
  const value = await readDocument(given, io);
  if (isJsonObject(value)) return value;
  throw new UsageError(`${flag} needs a JSON object`);
}

const show = clientCommand({
  usage: 'show [state]',
  summary: 'show what an orchestrator has to know to go on',
  flags: {},
  examples: ['countersign workflow show wfstate_1'],
  notes: OF_RUN,
  run: async (input) =>
    input.out.show(await input.client.workflow.show(await stateOf(input)), (view) =>
      workflowText(input.out, view),
    ),
});

const verdicts = clientCommand({
  usage: 'verdicts [state]',
  summary: 'show whether the verdicts are clear, or who stands in the way',
  flags: {},
  examples: ['countersign workflow verdicts wfstate_1'],
  notes: OF_RUN,
  run: async (input) => {
    const found = await input.client.workflow.show(await stateOf(input));
    const summary = found.ok ? { ok: true as const, value: found.value.verdicts } : found;
    return input.out.show(summary, (value) => verdictsText(input.out, value));
  },
});

const start = clientCommand({
  usage: 'start [state]',
  summary: 'record that an agent starts; a hand-off that waits for it is consumed',
  flags: {
    agent,
    prompt: required(textFlag('--prompt <text>', 'what the agent is asked')),
    id: textFlag('--id <invocation>', 'its id (default: a new one)'),
    context: textFlag('--context <document>', 'what it gets beside the prompt: a JSON object'),
    artifact,
  },
  examples: ['countersign workflow start wfstate_1 --agent analyst --prompt "Find the cause."'],
  notes: OF_RUN,
  run: async (input) => {
    const { flags, io, client, out } = input;
    const { id, context } = flags;
    const body = {
      agent: flags.agent,
      prompt: flags.prompt,
      ...(id === undefined ? {} : { invocation_id: id }),
      ...(context === undefined ? {} : { context: await objectOf(context, '--context', io) }),
      ...some('artifacts', flags.artifact),
    };
    return out.show(await client.workflow.startInvocation(await stateOf(input), body), writtenText);
  },
});

const complete = clientCommand({
  usage: 'complete [state]',
  summary: 'record how an agent ended',
  flags: {
    id: required(textFlag('--id <invocation>', 'which invocation')),
    status: required(choiceFlag('--status <status>', 'how it ended', ['completed', 'failed', 'blocked'])),
    summary: required(textFlag('--summary <text>', 'what came of it')),
    artifact,
    recommendation: listFlag('--recommendation <text>', 'what to do next, several times'),
    blocker,
  },
  examples: [
    'countersign workflow complete wfstate_1 --id inv_1 --status completed --summary "It is fixed."',
  ],
  notes: OF_RUN,
  run: async (input) => {
    const { flags, client, out } = input;
    const body = {
      status: flags.status,
      summary: flags.summary,
      ...some('artifacts', flags.artifact),
      ...some('recommendations', flags.recommendation),
      ...some('blockers', flags.blocker),
    };
    const stateId = await stateOf(input);
    return out.show(await client.workflow.completeInvocation(stateId, flags.id, body), writtenText);
  },
});

const decide = clientCommand({
  usage: 'decide [state]',
  summary: 'record a decision',
  flags: {
    agent,
    type: required(
      choiceFlag('--type <type>', 'kind of decision', ['architectural', 'technical', 'process', 'scope']),
    ),
    description: required(textFlag('--description <text>', 'what is decided')),
    rationale: required(textFlag('--rationale <text>', 'why')),
    id: textFlag('--id <decision>', 'its id (default: a new one)'),
  },
  examples: [
    'countersign workflow decide wfstate_1 --agent architect --type technical --description "Use a queue." --rationale "Order matters."',
  ],
  notes: OF_RUN,
  run: async (input) => {
    const { agent: decided_by, type, description, rationale, id } = input.flags;
    const body = { type, description, rationale, decided_by, ...(id === undefined ? {} : { id }) };
    return input.out.show(await input.client.workflow.addDecision(await stateOf(input), body), writtenText);
  },
});

const vote = (name: 'approve' | 'reject') =>
  clientCommand({
    usage: `${name} [state]`,
    summary: `record that an agent ${name}s a decision`,
    flags: { id: required(textFlag('--id <decision>', 'which decision')), agent },
    examples: [`countersign workflow ${name} wfstate_1 --id dec_1 --agent critic`],
    notes: OF_RUN,
    run: async (input) => {
      const { workflow } = input.client;
      const { id, agent: by } = input.flags;
      const stateId = await stateOf(input);
      const voted =
        name === 'approve'
          ? await workflow.approveDecision(stateId, id, { agent: by })
          : await workflow.rejectDecision(stateId, id, { agent: by });
      return input.out.show(voted, writtenText);
    },
  });

const verdict = clientCommand({
  usage: 'verdict [state]',
  summary: 'record the verdict of an agent',
  flags: {
    agent,
    decision: required(
      choiceFlag('--decision <decision>', 'what it says', [
        'approve',
        'reject',
        'conditional',
        'needs_revision',
      ]),
    ),
    confidence: required(decimalFlag('--confidence <number>', 'how sure it is, from 0 to 1')),
    reasoning: required(textFlag('--reasoning <text>', 'why')),
    condition: listFlag('--condition <text>', 'on what it depends, several times'),
    blocker,
  },
  examples: [
    'countersign workflow verdict wfstate_1 --agent critic --decision approve --confidence 0.9 --reasoning "The tests cover it."',
  ],
  notes: OF_RUN,
  run: async (input) => {
    const { flags, client, out } = input;
    const body = {
      agent: flags.agent,
      decision: flags.decision,
      confidence: flags.confidence,
      reasoning: flags.reasoning,
      ...some('conditions', flags.condition),
      ...some('blockers', flags.blocker),
    };
    return out.show(await client.workflow.addVerdict(await stateOf(input), body), writtenText);
  },
});

const handOff = clientCommand({
  usage: 'handoff [state]',
  summary: 'record that an agent hands its work to another one',
  flags: {
    from: required(textFlag('--from <agent>', 'who hands off')),
    to: required(textFlag('--to <agent>', 'who goes on')),
    reason: required(textFlag('--reason <text>', 'why')),
    context: required(textFlag('--context <text>', 'what the other one has to know')),
    preserve: textFlag('--preserve <document>', 'what it gets with it: a JSON object'),
    artifact,
  },
  examples: [
    'countersign workflow handoff wfstate_1 --from analyst --to implementer --reason "The cause is found." --context "See report.md."',
  ],
  notes: OF_RUN,
  run: async (input) => {
    const { flags, io, client, out } = input;
    const { preserve } = flags;
    const body = {
      from_agent: flags.from,
      to_agent: flags.to,
      reason: flags.reason,
      context: flags.context,
      ...(preserve === undefined ? {} : { preserved_context: await objectOf(preserve, '--preserve', io) }),
      ...some('artifacts', flags.artifact),
    };
    return out.show(await client.workflow.handOff(await stateOf(input), body), writtenText);
  },
});

const phase = clientCommand({
  usage: 'phase [state]',
  summary: 'set the phase',
  flags: {
    phase: required(
      choiceFlag('--set <phase>', 'the new phase', ['planning', 'implementation', 'validation', 'complete']),
    ),
  },
  examples: ['countersign workflow phase wfstate_1 --set validation'],
  notes: OF_RUN,
  run: async (input) =>
    input.out.show(
      await input.client.workflow.setPhase(await stateOf(input), { phase: input.flags.phase }),
      writtenText,
    ),
});

const mode = clientCommand({
  usage: 'mode [state]',
  summary: 'set the mode that agents work in',
  flags: {
    mode: required(textFlag('--set <mode>', 'the new mode')),
    reason: textFlag('--reason <text>', 'why'),
  },
  examples: ['countersign workflow mode wfstate_1 --set coding --reason "The plan is approved."'],
  notes: `Only the operator and the root enter the mode disabled.\n${OF_RUN}`,
  run: async (input) => {
    const { mode: to, reason } = input.flags;
    const body = { mode: to, ...(reason === undefined ? {} : { reason }) };
    return input.out.show(await input.client.workflow.setMode(await stateOf(input), body), writtenText);
  },
});

const evidence = clientCommand({
  usage: 'evidence [state]',
  summary: 'record evidence of the start or the end protocol',
  flags: {
    protocol: required(choiceFlag('--protocol <protocol>', 'which one', ['start', 'end'])),
    item: listFlag('--item <step=text>', 'what shows that a step was done, several times'),
    complete: switchFlag('--complete', 'the protocol is done'),
  },
  examples: [
    'countersign workflow evidence wfstate_1 --protocol start --item "context=README.md read" --complete',
  ],
  notes: OF_RUN,
  run: async (input) => {
    const { protocol, item, complete: done } = input.flags;
    const items = item.map((text) => {
      const at = text.indexOf('=');
      if (at < 1) throw new UsageError(`--item needs STEP=TEXT, not '${text}'`);
      return [text.slice(0, at), text.slice(at + 1)] as const;
    });
    const steps: Record<string, string> = Object.fromEntries(items);
    const body = { protocol, evidence: steps, ...(done ? { complete: true } : {}) };
    return input.out.show(await input.client.workflow.addEvidence(await stateOf(input), body), writtenText);
  },
});

export const workflowCommands: readonly CommandSpec[] = [
  show,
  start,
  complete,
  decide,
  vote('approve'),
  vote('reject'),
  verdict,
  verdicts,
  handOff,
  phase,
  mode,
  evidence,
  ...archiveCommands,
];
