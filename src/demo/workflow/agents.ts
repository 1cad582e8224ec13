// The three agents of the workflow demonstration: what each says, run by run. None of them writes to the state. Data only.

export const ORCHESTRATOR = 'orchestrator';

export type AgentName = 'analyst' | 'implementer' | 'critic';

/** What an agent answers in each of its runs, the last one again and again. */
export const ANSWERS: Readonly<Record<AgentName, readonly string[]>> = {
  analyst: ['The search reads every row: there is no index on the time of creation. See report.md.'],
  implementer: ['The index is there.', 'A test shows that the search reads the index only.'],
  critic: ['REJECT: nothing shows that the search is faster now.', 'APPROVE: the test shows it.'],
};

export function isAgentName(name: string | undefined): name is AgentName {
  return name !== undefined && Object.hasOwn(ANSWERS, name);
}
