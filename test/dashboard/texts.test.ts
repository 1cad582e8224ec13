// Names and texts of others: long, empty, like words of the page or like JSON. In a real Chromium on a real coordinator.
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { must } from '../support/stage.js';
import { openSite } from './browser.js';
import { openDashboard, type OpenDashboard } from './pages.js';
import { tellStory } from './story.js';

const REVERSED = 'a\u202Eb';

let folder: OpenDashboard['folder'];
let pages: OpenDashboard['pages'];
let site: OpenDashboard['site'];
let close: OpenDashboard['close'];

beforeAll(async () => {
  ({ folder, pages, site, close } = await openDashboard());
}, 300_000);

afterEach(() => pages.close());

afterAll(() => close());

const external = async (session_name: string, parent?: string) =>
  must(
    await site.client.sessions.create({
      session_name,
      external: true,
      ...(parent === undefined ? {} : { parent_session_name: parent }),
    }),
  ).session_id;

async function orchestrator(name: string, initial_data: Record<string, string> = {}): Promise<string> {
  await external(name);
  const schema_name = 'orchestrator-workflow';
  const made = await site.client.states.create({ schema_name, root_session_name: name, initial_data });
  return must(made).state_id;
}

it('filters by a name that looks like JSON, and by no age that there is not', async () => {
  for (const name of ['123', 'true', 'other']) await tellStory(site.client, name);
  const { page } = await pages.open('/ui/completions?root=123', site);
  await page.getByRole('link', { name: '123-builder' }).waitFor();
  expect(await page.getByLabel('Root session').inputValue()).toBe('123');
  expect(await page.getByRole('link', { name: /other-/ }).count()).toBe(0);
  await page.getByLabel('Root session').fill('true');
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'true-builder' }).waitFor();
  await page.reload();
  await page.getByRole('link', { name: 'true-builder' }).waitFor();
  await page.goto(new URL('/ui/states?search=123&since=bogus', site.url).href);
  await page.getByRole('link', { name: '123', exact: true }).waitFor();
  expect(await page.getByRole('link', { name: 'other', exact: true }).count()).toBe(0);
  expect(await page.getByLabel('Changed in the').inputValue()).toBe('');
});

it('shows a session that is named like a status, whatever was shown before', async () => {
  await external('pending', 'other');
  const { page, complaints } = await pages.open('/', site);
  await page.getByRole('region', { name: 'Trees in flight' }).getByRole('table').waitFor();
  await page.evaluate("history.pushState({}, '', '/ui/completions/pending')");
  await page.getByRole('heading', { name: 'pending completion' }).waitFor();
  await page.getByRole('link', { name: 'Overview' }).click();
  await page.getByRole('region', { name: 'Trees in flight' }).getByRole('table').waitFor();
  expect(complaints).toEqual([]);
});

it('gives each view a title of its own', async () => {
  const { page } = await pages.open('/ui/trees/other', site);
  await expect.poll(() => page.title()).toBe('other, tree of sessions – Countersign');
  await page.getByRole('link', { name: 'Runs', exact: true }).click();
  await expect.poll(() => page.title()).toBe('Runs – Countersign');
  await page.getByRole('link', { name: 'Overview' }).click();
  await expect.poll(() => page.title()).toBe('Overview – Countersign');
});

it('takes no reason of blanks alone', async () => {
  const { page } = await pages.open('/ui/completions/other-builder', site);
  await page.getByRole('button', { name: 'Skip' }).click();
  const dialog = page.getByRole('dialog', { name: 'Skip?' });
  await dialog.getByLabel('Reason').fill('   ');
  await dialog.getByRole('button', { name: 'Skip' }).click();
  expect(await dialog.isVisible()).toBe(true);
  expect(must(await site.client.sessions.completion('other-builder')).state_update_status).toBe('pending');
  await dialog.getByLabel('Reason').fill(' moot ');
  await dialog.getByRole('button', { name: 'Skip' }).click();
  await dialog.waitFor({ state: 'hidden' });
});

it('shows the keys of a state that outlives its root, and a link for the member with the empty name', async () => {
  must(await site.client.schemas.register({ name: 'any', json_schema: { type: 'object' } }));
  const root_session_id = await external('deleted');
  const initial_data = { '': 'nameless', plan: [1] };
  const { state_id } = must(
    await site.client.states.create({ schema_name: 'any', root_session_id, initial_data }),
  );
  const { page, complaints } = await pages.open(`/ui/states/${state_id}`, site);
  const keys = page.getByRole('region', { name: 'Keys' }).first();
  await keys.getByRole('link', { name: '""', exact: true }).click();
  const history = page.getByRole('region', { name: 'History of ""' });
  await history.getByRole('button', { name: 'Version 1', exact: true }).waitFor();
  must(await site.client.sessions.remove(root_session_id));
  await page.reload();
  await keys.getByText('The root session was deleted').waitFor();
  await keys.getByRole('row', { name: /^plan \[1\]/ }).waitFor();
  expect(await page.getByRole('alert').count()).toBe(0);
  expect(complaints).toEqual([]);
});

it('keeps each name of a list apart, so that one cannot turn its neighbours around', async () => {
  const id = await orchestrator('apart');
  const verdict = { confidence: 0.8, reasoning: 'It holds.', decision: 'conditional' } as const;
  const conditions = [REVERSED, 'second'];
  must(await site.client.workflow.addVerdict(id, { ...verdict, agent: 'critic', conditions }));
  const { page } = await pages.open(`/ui/states/${id}`, site);
  const row = page
    .getByRole('region', { name: 'Workflow', exact: true })
    .getByRole('row', { name: /critic/ });
  await row.waitFor();
  expect(await row.locator('td:nth-child(4) bdi').allTextContents()).toEqual(conditions);
});

it('stays as wide as the screen with long texts and deep trees', async () => {
  const id = await orchestrator('long', { active_task: 'x'.repeat(2000) });
  await external('level-1');
  for (let level = 2; level <= 10; level += 1)
    await external(`level-${String(level)}`, `level-${String(level - 1)}`);
  for (const [path, ready] of [
    [`/ui/states/${id}`, 'xxx'],
    ['/ui/trees/level-1', 'level-10'],
  ] as const) {
    const { page } = await pages.open(path, site, { viewport: { width: 360, height: 800 } });
    await page.getByText(ready).first().waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
    const cut =
      "[...document.querySelectorAll('.sessions')].some((one) => one.scrollWidth > one.clientWidth)";
    expect(await page.evaluate(cut)).toBe(false);
  }
});

it('says of a long archive where the rest of it is', async () => {
  const own = await openSite(folder, { limits: { endedInvocationsMax: 60, endedInvocationsKeptMax: 2 } });
  must(await own.client.sessions.create({ session_name: 'archivist', external: true }));
  const { state_id: id } = must(
    await own.client.states.create({
      schema_name: 'orchestrator-workflow',
      root_session_name: 'archivist',
      initial_data: {},
    }),
  );
  const { workflow } = own.client;
  for (let n = 0; n < 55; n += 1) {
    const { entry_id } = must(
      await workflow.startInvocation(id, { agent: `agent-${String(n)}`, prompt: 'Go.' }),
    );
    must(await workflow.completeInvocation(id, entry_id!, { status: 'completed', summary: 'Done.' }));
  }
  must(await workflow.compact(id, { keep: 1 }));
  const { page } = await pages.open(`/ui/states/${id}`, own);
  const panel = page.getByRole('region', { name: 'Workflow', exact: true });
  await panel.getByText('Show them').click();
  await panel.getByText(`4 more in the archive: countersign workflow archive ${id} --id`).waitFor();
  await own.close();
});
