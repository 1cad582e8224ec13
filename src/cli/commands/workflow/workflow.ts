// `countersign workflow …`: the workflow record of an orchestrator, one command for each entry.
import type { Result } from '../../../domain/errors.js';
import type { WorkflowWritten } from '../../../ports/api/index.js';
import type { WorkflowService } from '../../../ports/workflow-service.js';
import { clientCommand } from '../../client-command.js';
import type { CommandDraft, CommandSpec } from '../../command.js';
import { readObject } from '../../files/document.js';
import { choiceFlag, listFlag, required, switchFlag, textFlag, type Flags, type Values } from '../../flag.js';
import type { CliIo } from '../../io/io.js';
import { UsageError } from '../../usage-error.js';
import { given } from '../page.js';
import { OF_RUN, stateOf } from '../states/state-target.js';
import { decimalFlag } from './decimal-flag.js';
import { archiveCommands } from './archives.js';
import { verdictsText, workflowText, writtenText } from './workflow-text.js';

const agent = required(textFlag('--agent <agent>', 'name of the agent'));
const artifact = listFlag('--artifact <name>', 'a file or link, several times');
const blocker = listFlag('--blocker <text>', 'what stands in the way, several times');

/** Writes an entry into the record of a state. */
type Write = (workflow: WorkflowService, stateId: string) => Promise<Result<WorkflowWritten>>;

interface EntryDraft<F extends Flags> extends Omit<CommandDraft<F>, 'run'> {
  /** Reads the entry from the flags. */
  readonly entry: (flags: Values<F>, io: CliIo) => Write | Promise<Write>;
}

/** Creates a command that writes an entry, and prints what it has changed. */
function entryCommand<F extends Flags>({ entry, ...draft }: EntryDraft<F>): CommandSpec {
  return clientCommand({
    notes: OF_RUN,
    ...draft,
    run: async (input) => {
      const write = await entry(input.flags, input.io);
      return input.out.show(await write(input.client.workflow, await stateOf(input)), writtenText);
    },
  });
}

/** A list that was given; absent otherwise. */
function some<K extends string>(name: K, list: readonly string[]): Partial<Record<K, string[]>> {
  return list.length === 0 ? {} : ({ [name]: [...list] } as Record<K, string[]>);
}

const show = clientCommand({
  usage: 'show [state]',
  summary: 'show what an orchestrator has to know to go on',
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
  examples: ['countersign workflow verdicts wfstate_1'],
  notes: OF_RUN,
  run: async (input) => {
    const found = await input.client.workflow.show(await stateOf(input));
    const summary = found.ok ? { ok: true as const, value: found.value.verdicts } : found;
    return input.out.show(summary, (value) => verdictsText(input.out, value));
  },
});

const start = entryCommand({
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
  entry: async ({ id, context, artifact: artifacts, ...flags }, io) => {
    const body = {
      agent: flags.agent,
      prompt: flags.prompt,
      ...given({ invocation_id: id }),
      ...(context === undefined ? {} : { context: await readObject(context, '--context', io) }),
      ...some('artifacts', artifacts),
    };
    return (workflow, stateId) => workflow.startInvocation(stateId, body);
  },
});

const complete = entryCommand({
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
  entry: (flags) => (workflow, stateId) =>
    workflow.completeInvocation(stateId, flags.id, {
      status: flags.status,
      summary: flags.summary,
      ...some('artifacts', flags.artifact),
      ...some('recommendations', flags.recommendation),
      ...some('blockers', flags.blocker),
    }),
});

const decide = entryCommand({
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
  entry:
    ({ agent: decided_by, type, description, rationale, id }) =>
    (workflow, stateId) =>
      workflow.addDecision(stateId, { type, description, rationale, decided_by, ...given({ id }) }),
});

const vote = (name: 'approve' | 'reject') =>
  entryCommand({
    usage: `${name} [state]`,
    summary: `record that an agent ${name}s a decision`,
    flags: { id: required(textFlag('--id <decision>', 'which decision')), agent },
    examples: [`countersign workflow ${name} wfstate_1 --id dec_1 --agent critic`],
    entry:
      ({ id, agent: by }) =>
      (workflow, stateId) =>
        name === 'approve'
          ? workflow.approveDecision(stateId, id, { agent: by })
          : workflow.rejectDecision(stateId, id, { agent: by }),
  });

const verdict = entryCommand({
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
  entry:
    ({ condition, ...flags }) =>
    (workflow, stateId) =>
      workflow.addVerdict(stateId, {
        agent: flags.agent,
        decision: flags.decision,
        confidence: flags.confidence,
        reasoning: flags.reasoning,
        ...some('conditions', condition),
        ...some('blockers', flags.blocker),
      }),
});

const handOff = entryCommand({
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
  entry: async ({ preserve, ...flags }, io) => {
    const body = {
      from_agent: flags.from,
      to_agent: flags.to,
      reason: flags.reason,
      context: flags.context,
      ...(preserve === undefined ? {} : { preserved_context: await readObject(preserve, '--preserve', io) }),
      ...some('artifacts', flags.artifact),
    };
    return (workflow, stateId) => workflow.handOff(stateId, body);
  },
});

const phase = entryCommand({
  usage: 'phase [state]',
  summary: 'set the phase',
  flags: {
    phase: required(
      choiceFlag('--set <phase>', 'the new phase', ['planning', 'implementation', 'validation', 'complete']),
    ),
  },
  examples: ['countersign workflow phase wfstate_1 --set validation'],
  entry: (flags) => (workflow, stateId) => workflow.setPhase(stateId, { phase: flags.phase }),
});

const mode = entryCommand({
  usage: 'mode [state]',
  summary: 'set the mode that agents work in',
  flags: {
    mode: required(textFlag('--set <mode>', 'the new mode')),
    reason: textFlag('--reason <text>', 'why'),
  },
  examples: ['countersign workflow mode wfstate_1 --set coding --reason "The plan is approved."'],
  notes: `Only the operator and the root enter the mode disabled.\n${OF_RUN}`,
  entry:
    ({ mode: to, reason }) =>
    (workflow, stateId) =>
      workflow.setMode(stateId, { mode: to, ...given({ reason }) }),
});

const evidence = entryCommand({
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
  entry: ({ protocol, item, complete: done }) => {
    const items = item.map((text) => {
      const at = text.indexOf('=');
      if (at < 1) throw new UsageError(`--item needs STEP=TEXT, not '${text}'`);
      return [text.slice(0, at), text.slice(at + 1)] as const;
    });
    const steps: Record<string, string> = Object.fromEntries(items);
    const body = { protocol, evidence: steps, ...(done ? { complete: true } : {}) };
    return (workflow, stateId) => workflow.addEvidence(stateId, body);
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
