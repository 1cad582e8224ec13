// Histories whose oldest versions are gone, and long ones, in a real Chromium on a real coordinator.
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.js';
import { must } from '../support/stage.js';
import { builtDashboard, launch, openSite, type Site } from './browser.js';
import { Pages } from './pages.js';

let folder: string;
let browser: Browser;
let pages: Pages;
const sites: Site[] = [];

beforeAll(async () => {
  [folder, browser] = await Promise.all([builtDashboard(), launch()]);
  pages = new Pages(browser);
}, 300_000);

afterEach(() => pages.close());

afterAll(async () => {
  await browser.close();
  for (const site of sites) await site.close();
});

/** A state whose child has written the versions up to `version`. */
async function written(version: number, limits: NonNullable<Parameters<typeof openSite>[1]>['limits'] = {}) {
  const site = await openSite(folder, { limits });
  sites.push(site);
  must(await site.client.schemas.register({ name: 'any', json_schema: { type: 'object' } }));
  must(await site.client.sessions.create({ session_name: 'root', external: true }));
  const child = must(
    await site.client.sessions.create({ session_name: 'kid', parent_session_name: 'root', external: true }),
  );
  const { state_id: id } = must(
    await site.client.states.create({
      schema_name: 'any',
      initial_data: { n: 0 },
      root_session_name: 'root',
    }),
  );
  const writer = site.as({ sessionName: 'kid' });
  for (let n = 2; n <= version; n += 1) must(await writer.states.mergePatch(id, { n }, {}));
  return { site, id, childId: child.session_id };
}

describe('after a compaction', () => {
  let site: Site;
  let id: string;
  let childId: string;
  let oldest: number;

  beforeAll(async () => {
    const limits = { historyVersionsMax: 20, retentionRoundMs: 20, retentionStepMs: 1 };
    ({ site, id, childId } = await written(150, limits));
    oldest = await eventually('the last 20 versions are kept', async () => {
      const { version } = must(await site.client.states.events(id, { limit: 1 })).events[0]!;
      return version === 150 - 20 + 1 ? version : null;
    });
  });

  it('shows the versions that are kept, and the slider begins at the oldest of them', async () => {
    const { page, complaints } = await pages.open(`/ui/states/${id}`, site);
    const history = page.getByRole('region', { name: 'History' });
    await history.getByRole('listitem').filter({ hasText: 'Version 150' }).getByText('kid').waitFor();
    const slider = history.getByRole('slider');
    await slider.press('Home');
    await page.waitForURL(new RegExp(`at=${String(oldest)}`));
    await page.getByText('This is the past.').waitFor();
    await history
      .getByRole('listitem')
      .filter({ hasText: `Version ${String(oldest)}` })
      .getByText('kid')
      .waitFor();
    await history.getByText(`Versions before ${String(oldest)} are not kept any more.`).waitFor();
    expect(await slider.getAttribute('min')).toBe(String(oldest));
    expect(complaints).toEqual([]);
  });

  it('shows the writes of a key', async () => {
    const { page } = await pages.open(`/ui/states/${id}?key=n`, site);
    const history = page.getByRole('region', { name: 'History of n' });
    await history.getByRole('button', { name: 'Version 150', exact: true }).waitFor();
    expect(await history.getByRole('listitem').count()).toBe(150 - oldest + 1);
    expect(await history.getByText('Older versions').count()).toBe(0);
  });

  it('shows the writes of a session', async () => {
    const { page } = await pages.open(`/ui/trees/root?session=${childId}`, site);
    await page.getByText('Writes of this session').click();
    await page.getByRole('link', { name: 'Version 150', exact: true }).waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  it('offers the oldest version that is kept, and the present one, in place of one that is gone', async () => {
    const { page } = await pages.open(`/ui/states/${id}?at=50`, site);
    const alert = page.getByRole('alert');
    await alert.getByText('version compacted').waitFor();
    expect(await alert.getByRole('button', { name: 'Try again' }).count()).toBe(0);
    await alert.getByRole('button', { name: `Version ${String(oldest)}` }).click();
    await page.getByRole('heading', { name: `Document at version ${String(oldest)}` }).waitFor();
    await page.goto(new URL(`/ui/states/${id}?at=50&from=60`, site.url).href);
    await alert.getByRole('button', { name: 'Back to the present' }).click();
    await page.getByRole('heading', { name: 'Document', exact: true }).waitFor();
    expect(page.url()).not.toMatch(/at=|from=/);
  });

  it('ends a comparison with a version that is gone, or begins it at the oldest one', async () => {
    const { page } = await pages.open(`/ui/states/${id}?from=50`, site);
    await page
      .getByRole('alert')
      .getByRole('button', { name: `Version ${String(oldest)}` })
      .click();
    await page.locator('.diff-code-insert').getByText('"n": 150').waitFor();
    await page.goto(new URL(`/ui/states/${id}?from=50`, site.url).href);
    await page.getByRole('button', { name: 'End comparison' }).click();
    await page.waitForURL((url) => !url.search.includes('from='));
  });
});

it('shows the newest writes of a session, and says where the others are', async () => {
  const { site, id, childId } = await written(520);
  const { page } = await pages.open(`/ui/trees/root?session=${childId}`, site);
  await page.getByText('Writes of this session').click();
  await page.getByRole('link', { name: 'Version 520', exact: true }).waitFor();
  expect(await page.getByRole('link', { name: /^Version \d+$/ }).count()).toBe(100);
  await page.getByText(`countersign state log ${id} --session`).waitFor();
});
