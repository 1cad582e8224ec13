// Answers that come late, and what happens meanwhile, in a real Chromium on a real coordinator.
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { must } from '../support/stage.js';
import { openDashboard, type OpenDashboard } from './pages.js';
import { tellStory } from './story.js';

let pages: OpenDashboard['pages'];
let site: OpenDashboard['site'];
let close: OpenDashboard['close'];

beforeAll(async () => {
  ({ pages, site, close } = await openDashboard());
}, 300_000);

afterEach(() => pages.close());

afterAll(() => close());

const treeItem = /^phase/;

it('shows a write that comes while the state is read for the first time', async () => {
  const { stateId } = await tellStory(site.client, 'early');
  const { page } = await pages.open('/ui/runs', site);
  await page.getByText('Live', { exact: true }).waitFor();
  let isFirst = true;
  await page.route(`**/workflow-states/${stateId}`, async (request) => {
    if (!isFirst) return request.continue();
    isFirst = false;
    const response = await request.fetch();
    must(await site.client.states.mergePatch(stateId, { phase: 'written meanwhile' }, {}));
    // The event has come by then.
    await pause(3_000);
    return request.fulfill({ response });
  });
  await page.evaluate(`history.pushState(null, '', '/ui/states/${stateId}')`);
  await page.evaluate("dispatchEvent(new PopStateEvent('popstate'))");
  await page.getByRole('treeitem').filter({ hasText: treeItem }).getByText('written meanwhile').waitFor();
});

it('shows a new state in its tree, and a new child that owes its result, without a reload', async () => {
  const root = must(await site.client.sessions.create({ session_name: 'stateless', external: true }));
  const { page } = await pages.open(`/ui/trees/${root.session_id}`, site);
  await page.getByText('This tree has no state.').waitFor();
  await page.getByText('Live', { exact: true }).waitFor();
  const listed = await pages.open('/ui/completions', site);
  await listed.page.getByText('Live', { exact: true }).waitFor();
  // No refresh is due any more.
  await pause(2_000);
  must(await site.client.schemas.register({ name: 'any', json_schema: { type: 'object' } }));
  must(
    await site.client.states.create({
      schema_name: 'any',
      root_session_id: root.session_id,
      initial_data: {},
    }),
  );
  await page.getByText('This tree has no state.').waitFor({ state: 'detached' });
  const owing = {
    session_name: 'late-born',
    parent_session_id: root.session_id,
    external: true,
    callback: true,
    completion: { write_scope: ['/tasks'] },
  };
  must(await site.client.sessions.create({ ...owing, delivery: 'pull' }));
  await listed.page.getByText('late-born').first().waitFor();
});

it('goes on while the browser believes to be offline', async () => {
  const { stateId } = await tellStory(site.client, 'offline');
  const { page } = await pages.open(`/ui/states/${stateId}`, site);
  await page.getByText('Live', { exact: true }).waitFor();
  await page.evaluate("dispatchEvent(new Event('offline'))");
  must(await site.client.states.mergePatch(stateId, { phase: 'written offline' }, {}));
  await page.getByRole('treeitem').filter({ hasText: treeItem }).getByText('written offline').waitFor();
});

it('offers the next page of no other list than that which is shown', async () => {
  must(await site.client.schemas.register({ name: 'any', json_schema: { type: 'object' } }));
  for (let n = 0; n < 60; n += 1)
    must(await site.client.states.create({ schema_name: 'any', initial_data: { n } }));
  const { page } = await pages.open('/ui/states', site);
  const next = page.getByRole('link', { name: 'Next page' });
  await next.waitFor();
  await page.route('**/workflow-states?*', async (request) => {
    await pause(1_000);
    await request.continue();
  });
  const order = page.locator('select[name=order]');
  await order.focus();
  await order.selectOption('oldest');
  await page.waitForURL(/order=oldest/);
  expect(await next.count()).toBe(0);
  expect(await order.evaluate('document.activeElement?.name')).toBe('order');
  await next.click();
  await page.waitForURL(/cursor=/);
  await page.getByRole('row').nth(3).waitFor();
  expect(await page.getByText('is not a cursor').count()).toBe(0);
});

it('acts once where somebody clicks twice', async () => {
  await tellStory(site.client, 'twice');
  const { page } = await pages.open('/ui/completions/twice-builder', site);
  const sent: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'POST') sent.push(new URL(request.url()).pathname);
  });
  await page.getByRole('button', { name: 'Retry', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Reason').fill('again');
  await dialog.getByRole('button', { name: 'Retry' }).dblclick();
  await dialog.waitFor({ state: 'hidden' });
  expect(sent.filter((path) => path.endsWith('/retry'))).toHaveLength(1);
});

it('shows a refusal that comes after the dialog was closed', async () => {
  await tellStory(site.client, 'closed');
  const { page } = await pages.open('/ui/completions/closed-builder', site);
  await page.route('**/retry', async (request) => {
    await pause(1_000);
    await request.fulfill({
      status: 409,
      contentType: 'application/problem+json',
      json: { error: 'completion_settled', detail: 'It has ended.', retryable: false },
    });
  });
  await page.getByRole('button', { name: 'Retry', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Reason').fill('again');
  await dialog.getByRole('button', { name: 'Retry' }).click();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await dialog.waitFor({ state: 'hidden' });
  await dialog.getByText('It has ended.').waitFor();
});

it('keeps the dialog of a webhook that somebody else has changed', async () => {
  const { webhook_id: id } = must(
    await site.client.webhooks.create({ url: 'https://receiver.test/hook', events: ['run_updated'] }),
  );
  const { page } = await pages.open(`/ui/webhooks/${id}`, site);
  await page.getByRole('button', { name: 'Disable', exact: true }).click();
  await page.getByRole('dialog').waitFor();
  must(await site.client.webhooks.disable(id, { reason: 'by another' }));
  await page.getByRole('button', { name: 'Enable', exact: true, includeHidden: true }).waitFor();
  const dialog = page.getByRole('dialog', { name: 'Disable?' });
  await dialog.getByLabel('Reason').fill('by me');
  await dialog.getByRole('button', { name: 'Disable' }).click();
  await dialog.waitFor({ state: 'detached' });
  expect(must(await site.client.webhooks.get(id)).enabled).toBe(false);
});

it('shows a refusal whose row has left the list, and keeps what was typed', async () => {
  await tellStory(site.client, 'vanishing');
  const { page } = await pages.open('/ui/completions?status=pending', site);
  await page.route('**/skip', async (request) => {
    await pause(1_500);
    await request.continue();
  });
  const row = page.getByRole('row').filter({ hasText: 'vanishing-builder' });
  await row.getByRole('button', { name: 'Skip', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Skip?' });
  await dialog.getByLabel('Reason').fill('mine');
  await dialog.getByRole('button', { name: 'Skip' }).click();
  must(await site.client.sessions.skip('vanishing-builder', { reason: 'of another' }));
  await row.waitFor({ state: 'detached' });
  await dialog.getByRole('alert').waitFor();
  expect(await dialog.getByLabel('Reason').inputValue()).toBe('mine');
});

it('leaves the history where it was scrolled to while it is read', async () => {
  const { stateId } = await tellStory(site.client, 'scrolled');
  for (let n = 0; n < 150; n += 1) must(await site.client.states.mergePatch(stateId, { n }, {}));
  const { page } = await pages.open('/ui/runs', site);
  await page.getByText('Live', { exact: true }).waitFor();
  await page.route(/\/events\?/, async (request) => {
    await pause(1_500);
    await request.continue();
  });
  await page.goto(new URL(`/ui/states/${stateId}`, site.url).href);
  const list = page.locator('div.history');
  await list.hover();
  await page.mouse.wheel(0, 2_000);
  await list
    .getByRole('button', { name: /^Version 1[0-4]/ })
    .first()
    .waitFor();
  await pause(500);
  expect(await page.evaluate("document.querySelector('div.history').scrollTop")).toBeGreaterThan(500);
});
