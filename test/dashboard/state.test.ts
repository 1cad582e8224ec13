// What stands beside the document in the view of a state, in a real Chromium on a real coordinator.
import { rmSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { must } from '../support/stage.js';
import { builtDashboard, launch, openSite, type Site } from './browser.js';
import { Pages } from './pages.js';
import { HOSTILE, tellStory, type Story } from './story.js';

let folder: string;
let browser: Browser;
let pages: Pages;
let site: Site;
let story: Story;

beforeAll(async () => {
  [folder, browser] = await Promise.all([builtDashboard(), launch()]);
  pages = new Pages(browser);
  site = await openSite(folder);
  story = await tellStory(site.client);
}, 300_000);

afterEach(() => pages.close());

afterAll(async () => {
  await browser.close();
  await site.close();
  rmSync(folder, { recursive: true, force: true });
});

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
    .getByText(story.rootId)
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
