// What stands beside the document in the view of a state, in a real Chromium on a real coordinator.
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { McpClient } from '../support/mcp.js';
import { must } from '../support/stage.js';
import { loaded, openDashboard, type OpenDashboard } from './pages.js';
import { HOSTILE, tellStory, type Story } from './story.js';

let pages: OpenDashboard['pages'];
let site: OpenDashboard['site'];
let close: OpenDashboard['close'];
let story: Story;

beforeAll(async () => {
  ({ pages, site, close } = await openDashboard());
  story = await tellStory(site.client);
}, 300_000);

afterEach(() => pages.close());

afterAll(() => close());

it('lists the keys with who wrote each last, live, and shows the history of the one that is chosen', async () => {
  const { page, complaints } = await pages.open(`/ui/states/${story.stateId}`, site);
  const keys = page.getByRole('region', { name: 'Keys' }).first();
  await keys.getByRole('row', { name: /^tasks \[1\] 1 / }).waitFor();
  await keys.getByRole('link', { name: HOSTILE }).waitFor();
  await page.getByText('Live', { exact: true }).waitFor();
  const writer = site.as({ sessionName: 'release-42' });
  must(await writer.states.ops(story.stateId, [{ op: 'set', pointer: '/phase', value: 'built' }], {}));
  must(await writer.states.ops(story.stateId, [{ op: 'set', pointer: '/phase', value: 'tested' }], {}));
  await keys
    .getByRole('row', { name: /^phase "tested" 3 / })
    .getByRole('link', { name: 'release-42', exact: true })
    .waitFor();
  await keys.getByRole('link', { name: 'tasks' }).click();
  await page.waitForURL(/[?&]key=tasks/);
  const history = page.getByRole('region', { name: 'History of tasks' });
  await history.getByRole('button', { name: 'Version 1', exact: true }).waitFor();
  expect(await history.getByRole('listitem').count()).toBe(1);
  await keys.getByRole('link', { name: 'phase' }).click();
  const other = page.getByRole('region', { name: 'History of phase' });
  await other.getByRole('button', { name: 'Version 2', exact: true }).waitFor();
  expect(await other.getByRole('listitem').count()).toBe(2);
  await page.reload();
  await other.getByRole('button', { name: 'Version 3', exact: true }).waitFor();
  await other.getByRole('button', { name: 'All writes' }).click();
  await page
    .getByRole('region', { name: 'History' })
    .getByRole('button', { name: 'Version 1', exact: true })
    .waitFor();
  expect(page.url()).not.toContain('key=');
  expect(complaints).toEqual([]);
});

it('has no serious violation for axe in both themes, and fits a narrow screen', async () => {
  expect(await pages.faultsOf('state-key', `/ui/states/${story.stateId}?key=tasks`, site)).toEqual([]);
});

const child = async (name: string, root: string, completion: object) => {
  const { session_id } = must(
    await site.client.sessions.create({
      session_name: name,
      parent_session_id: root,
      external: true,
      callback: true,
      delivery: 'pull',
      completion: { timeout_ms: 600_000, retry_delay_ms: 0, max_attempts: 3, ...completion },
    }),
  );
  must(await site.client.sessions.report(session_id, { type: 'session_start' }));
  return session_id;
};

it('marks contracts and write scopes of children in the document, and says whether they are kept, live', async () => {
  const { stateId, rootId } = await tellStory(site.client, 'agreed');
  const contract = { pointer: '/tasks', schema: { type: 'array', maxItems: 0 } };
  const scoped = { contract, write_scope: ['/tasks', '/report/text'], mode: 'unless_satisfied' };
  const session = await child('agreed-scoped', rootId, scoped);
  const { page, complaints } = await pages.open(`/ui/states/${stateId}`, site);
  const row = page.getByRole('treeitem').filter({ hasText: 'tasks' });
  await row.getByText('contract pending').waitFor();
  await row.getByText('scope of agreed-scoped').waitFor();
  const agreed = page.getByRole('region', { name: 'Contracts and write scopes' }).first();
  await agreed.getByRole('row', { name: /agreed-scoped .tasks .tasks .report.text pending/ }).waitFor();
  await page.getByText('Live', { exact: true }).waitFor();
  const writer = site.as({ sessionName: 'agreed-scoped' });
  must(await writer.states.ops(stateId, [{ op: 'set', pointer: '/tasks', value: [] }], {}));
  must(await site.client.sessions.report(session, { type: 'session_stop', result_text: 'done' }));
  await row.getByText('contract satisfied').waitFor();
  await agreed.getByRole('row', { name: /agreed-scoped .* satisfied/ }).waitFor();
  expect(complaints).toEqual([]);
  expect(await pages.faultsOf('state-agreed', `/ui/states/${stateId}`, site)).toEqual([]);
});

it('shows the workflow record of an orchestrator, live', async () => {
  const root = must(await site.client.sessions.create({ session_name: 'orchestrator', external: true }));
  const { state_id } = must(
    await site.client.states.create({
      schema_name: 'orchestrator-workflow',
      root_session_id: root.session_id,
      initial_data: { active_feature: 'search' },
    }),
  );
  const { page, complaints } = await pages.open(`/ui/states/${state_id}`, site);
  const panel = page.getByRole('region', { name: 'Workflow', exact: true });
  await panel.getByText('Nobody is at work.').waitFor();
  await page.getByText('Live', { exact: true }).waitFor();
  const { workflow } = site.client;
  must(await workflow.startInvocation(state_id, { agent: 'analyst', prompt: HOSTILE }));
  must(
    await workflow.handOff(state_id, {
      from_agent: 'analyst',
      to_agent: 'builder',
      reason: 'The cause is known.',
      context: 'See the report.',
    }),
  );
  must(
    await workflow.addDecision(state_id, {
      type: 'technical',
      description: 'Add the index.',
      rationale: 'It is the cause.',
      decided_by: 'architect',
    }),
  );
  const verdict = { agent: 'critic', confidence: 0.8, reasoning: 'No test shows it.' };
  must(await workflow.addVerdict(state_id, { ...verdict, decision: 'needs_revision', blockers: ['a test'] }));
  must(await workflow.setPhase(state_id, { phase: 'implementation' }));
  await panel.getByRole('row', { name: /analyst .*<script>/ }).waitFor();
  await panel.getByRole('row', { name: /analyst builder The cause is known/ }).waitFor();
  await panel.getByRole('row', { name: /Add the index\. architect/ }).waitFor();
  await panel.getByRole('row', { name: /critic needs revision No test shows it\. a test/ }).waitFor();
  await panel.getByText('implementation', { exact: true }).waitFor();
  must(await workflow.addVerdict(state_id, { ...verdict, decision: 'approve' }));
  await panel.getByText('clear', { exact: true }).waitFor();
  expect(complaints).toEqual([]);
  expect(await pages.faultsOf('state-workflow', `/ui/states/${state_id}`, site)).toEqual([]);
});

it('takes a member named like the record in another document for what it is: data', async () => {
  const { session_id } = must(await site.client.sessions.create({ session_name: 'plain', external: true }));
  const { state_id } = must(
    await site.client.states.create({
      schema_name: 'release',
      root_session_id: session_id,
      initial_data: { orchestrator_workflow: {} },
    }),
  );
  const { page } = await pages.open(`/ui/states/${state_id}`, site);
  await page.getByRole('region', { name: 'Keys' }).getByRole('link').waitFor();
  await loaded(page);
  expect(await page.getByRole('alert').count()).toBe(0);
  expect(await page.getByRole('region', { name: 'Workflow', exact: true }).count()).toBe(0);
});

it('shows what the schema says of the selected place, also through references', async () => {
  const task = { $ref: '#/$defs/task' };
  const json_schema = {
    type: 'object',
    description: 'A plan of steps.',
    properties: { steps: { title: 'Steps', type: 'array', items: { ...task, description: HOSTILE } } },
    $defs: {
      task: {
        type: 'object',
        description: 'One step.',
        properties: { state: { enum: ['open', 'done'] }, steps: { type: 'array', items: task } },
      },
    },
  };
  must(await site.client.schemas.register({ name: 'plan', json_schema }));
  const { session_id } = must(await site.client.sessions.create({ session_name: 'planner', external: true }));
  const { state_id } = must(
    await site.client.states.create({
      schema_name: 'plan',
      root_session_id: session_id,
      initial_data: { steps: [{ state: 'open' }], extra: 1 },
    }),
  );
  // The search opens what is above the place. A click closes it, so the innermost is chosen first.
  const { page, complaints } = await pages.open(`/ui/states/${state_id}?find=open`, site);
  const panel = page.getByRole('region', { name: 'Schema', exact: true });
  const choose = (text: string) => page.getByRole('treeitem').filter({ hasText: text }).click();
  await panel.getByText('A plan of steps.').waitFor();
  await choose('"open"');
  await panel.getByText('open, done').waitFor();
  await choose('{1}');
  await panel.getByText('One step.').waitFor();
  await panel.getByText('<script>').waitFor();
  await choose('[1]');
  await panel.getByText('Steps', { exact: true }).waitFor();
  await choose('extra');
  await panel.getByText('The schema says nothing of this place.').waitFor();
  expect(complaints).toEqual([]);
  expect(await pages.faultsOf('state-schema', `/ui/states/${state_id}`, site)).toEqual([]);
});

it('reads patterns as the service does, in linear time, and items, anchors and references of each draft', async () => {
  const json_schema = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    type: 'object',
    properties: {
      pair: { items: [{ description: 'The left one.' }], additionalItems: { description: 'The others.' } },
      odd: { allOf: [{ $ref: '#anchored' }, { $ref: '#/definitions/with%20blank' }] },
    },
    patternProperties: { '^(a+)+$': { description: 'Never.' }, '^\\@': { description: 'A handle.' } },
    definitions: {
      one: { $id: '#anchored', description: 'By its anchor.' },
      'with blank': { description: 'By its place.' },
    },
  };
  must(await site.client.schemas.register({ name: 'places', json_schema }));
  const { session_id } = must(await site.client.sessions.create({ session_name: 'places', external: true }));
  const { state_id } = must(
    await site.client.states.create({
      schema_name: 'places',
      root_session_id: session_id,
      initial_data: { [`${'a'.repeat(40)}!`]: 1, '@me': 2, pair: ['left', 'right'], odd: 3 },
    }),
  );
  const says = async (place: string, ...texts: string[]) => {
    const path = `/ui/states/${state_id}?place=${encodeURIComponent(place)}`;
    const { page } = await pages.open(path, site);
    const panel = page.getByRole('region', { name: 'Schema', exact: true });
    await Promise.all(texts.map((text) => panel.getByText(text).waitFor()));
  };
  await says(`/${'a'.repeat(40)}!`, 'The schema says nothing of this place.');
  await says('/@me', 'A handle.');
  await says('/pair/0', 'The left one.');
  await says('/pair/1', 'The others.');
  await says('/odd', 'By its anchor.', 'By its place.');
});

it('gives a command that compares two versions where they differ too much to be shown', async () => {
  const { stateId } = await tellStory(site.client, 'compared');
  const many = Array.from({ length: 6000 }, (_, n) => n);
  must(await site.client.states.ops(stateId, [{ op: 'set', pointer: '/many', value: many }], {}));
  const { page } = await pages.open(`/ui/states/${stateId}?from=1`, site);
  const panel = page.getByRole('region', { name: 'Version 1 compared with 2' });
  await panel.getByText(`countersign state diff ${stateId} --from 1 --to 2`, { exact: true }).waitFor();
  expect(await page.locator('.diff').count()).toBe(0);
});

it('selects a place of the document by the keyboard', async () => {
  const { page } = await pages.open(`/ui/states/${story.stateId}`, site);
  await page.getByRole('treeitem').first().focus();
  await page.keyboard.press('ArrowDown');
  await page.locator('.node:focus').waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL(/place=/);
  const place = new URL(page.url()).searchParams.get('place') ?? '';
  await page.locator('.selected code').getByText(place, { exact: true }).waitFor();
});

it('leaves the cursor where it is while somebody types in the search', async () => {
  const { page } = await pages.open(`/ui/states/${story.stateId}`, site);
  const search = page.getByLabel('Search the document');
  await search.fill('bud');
  await page.waitForURL(/find=bud$/);
  await search.press('ArrowLeft');
  for (const [key, url] of [
    ['i', /find=buid$/],
    ['l', /find=build$/],
  ] as const) {
    await search.press(key);
    await page.waitForURL(url);
  }
  await page.locator('.node.found').getByText('"build"').waitFor();
  await page.reload();
  expect(await search.inputValue()).toBe('build');
});

it('scrubs through all versions, and keeps the version and the place in the address', async () => {
  const { stateId } = await tellStory(site.client, 'scrubbed');
  const writer = site.as({ sessionName: 'scrubbed' });
  for (let n = 2; n <= 250; n += 1)
    must(await writer.states.ops(stateId, [{ op: 'set', pointer: '/n', value: n }], {}));
  const { page, complaints } = await pages.open(`/ui/states/${stateId}`, site);
  const history = page.getByRole('region', { name: 'History' });
  const slider = history.getByRole('slider');
  const row = page.getByRole('treeitem').filter({ hasText: /^n/ });
  await row.filter({ hasText: '250' }).click();
  await page.waitForURL(/place=/);
  // The writes around it come once the list has scrolled to it and the address has it.
  await page.route(/events\?.*since=100\b/, async (request) => {
    await page.waitForURL(/at=120/);
    await request.continue();
  });
  await page.evaluate(
    "scrubbed = []; new MutationObserver(() => scrubbed.push(document.querySelector('.scrub').innerText.trim())).observe(document.querySelector('.scrub'), { subtree: true, characterData: true })",
  );
  await slider.fill('120');
  await history.getByText('Version 120 of 250').waitFor();
  await row.getByText('120', { exact: true }).waitFor();
  await page.waitForURL(/at=120/);
  await history.getByRole('button', { name: 'Version 120', exact: true }).waitFor();
  await page.unrouteAll();
  expect(await page.evaluate('scrubbed')).toEqual(['Version 120 of 250']);
  // Of 250 versions, those in view are in the page.
  expect(await history.getByRole('listitem').count()).toBeLessThan(40);
  await slider.press('ArrowLeft');
  await row.getByText('119', { exact: true }).waitFor();
  await page.waitForURL(/at=119/);
  await page.reload();
  await row.getByText('119', { exact: true }).waitFor();
  await page.locator('.node.chosen').filter({ hasText: /^n/ }).waitFor();
  await page.locator('.selected code').getByText('/n', { exact: true }).waitFor();
  await slider.press('Home');
  await history.getByRole('button', { name: 'Version 1', exact: true }).waitFor();
  await history.getByRole('listitem').filter({ hasText: 'Version 1' }).last().getByText('create').waitFor();
  await page.getByRole('button', { name: 'Back to the present' }).click();
  await row.getByText('250', { exact: true }).waitFor();
  expect(complaints).toEqual([]);
});

it('shows what an archive of the workflow record holds', async () => {
  must(await site.client.sessions.create({ session_name: 'archivist', external: true }));
  const { state_id } = must(
    await site.client.states.create({
      schema_name: 'orchestrator-workflow',
      root_session_name: 'archivist',
      initial_data: { active_feature: 'search' },
    }),
  );
  const { workflow } = site.client;
  for (const agent of ['first', 'second']) {
    const { entry_id } = must(await workflow.startInvocation(state_id, { agent, prompt: `Go, ${agent}.` }));
    const ended = { status: 'completed', summary: HOSTILE } as const;
    must(await workflow.completeInvocation(state_id, entry_id!, ended));
  }
  must(await workflow.compact(state_id, { keep: 1 }));
  const { page, complaints } = await pages.open(`/ui/states/${state_id}`, site);
  const panel = page.getByRole('region', { name: 'Workflow', exact: true });
  await panel.getByText('Show them').click();
  await panel.getByRole('row', { name: /first .* completed Go, first\. <img/ }).waitFor();
  expect(complaints).toEqual([]);
});

it('gives the entry for an MCP client, which reads that state', async () => {
  const { stateId } = await tellStory(site.client, 'configured');
  const { page } = await pages.open(`/ui/states/${stateId}`, site);
  const copied = await page.getByRole('button', { name: 'Copy MCP configuration' }).getAttribute('title');
  const { url, headers } = JSON.parse(copied!).mcpServers.countersign;
  const mcp = await McpClient.http(url, headers);
  expect(await mcp.must('state_read')).toMatchObject({ state_id: stateId });
  await mcp.close();
});
