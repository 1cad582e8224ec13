// The token of the dashboard: one that is none, one that is revoked, in a real Chromium on a real coordinator.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { createToken, revokeToken } from '../../src/main/commands/tokens.js';
import { builtDashboard, launch, openSite, type Site } from './browser.js';
import { Pages } from './pages.js';
import { tellStory, type Story } from './story.js';

const STORED = 'sessionStorage.length';
const UNSENDABLE = ['“cs_reader_abc”', 'cs_reader\u200b_abc'];

let folder: string;
let browser: Browser;
let pages: Pages;
let dir: string;
let db: string;
let site: Site;
let story: Story;

async function tokenOf(name: string, role: string): Promise<string> {
  let printed = '';
  const io: any = {
    stdout: { write: (text: string) => (printed += text) },
    stderr: { write: () => true },
    env: {},
  };
  expect(await createToken({ db, name, role, json: true } as any, io)).toBe(0);
  return String(JSON.parse(printed).token);
}

async function revoke(token: string): Promise<void> {
  const io: any = { stdout: { write: () => true }, stderr: { write: () => true }, env: {} };
  expect(await revokeToken({ db, token, json: true } as any, io)).toBe(0);
}

async function signIn(page: Page, token: string): Promise<void> {
  await page.getByLabel('Token').fill(token);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

beforeAll(async () => {
  [folder, browser] = await Promise.all([builtDashboard(), launch()]);
  pages = new Pages(browser);
  dir = mkdtempSync(join(tmpdir(), 'countersign-dashboard-'));
  db = join(dir, 'c.db');
  const token = await tokenOf('boss', 'admin');
  site = await openSite(folder, { db, auth: true });
  story = await tellStory(site.as({ token }));
}, 300_000);

afterEach(() => pages.close());

afterAll(async () => {
  await browser.close();
  await site.close();
  rmSync(dir, { recursive: true, force: true });
});

it.each(UNSENDABLE)('refuses %j, which no header can carry, and stores nothing', async (given) => {
  const { page, complaints } = await pages.open('/', site);
  await signIn(page, given);
  await page.getByText('did not accept that token').waitFor();
  expect(await page.evaluate(STORED)).toBe(0);
  await page.reload();
  await page.getByRole('heading', { name: 'This service asks for a token' }).waitFor();
  expect(complaints).toEqual([]);
});

it('asks for a token where one that no header can carry was stored', async () => {
  const { page, complaints } = await pages.open('/', site);
  await page.evaluate("sessionStorage.setItem('countersign.token', '“cs_reader_abc”')");
  await page.reload();
  await page.getByRole('heading', { name: 'This service asks for a token' }).waitFor();
  expect(complaints).toEqual([]);
});

it('stores no token that the service refused', async () => {
  const { page } = await pages.open('/ui/states', site);
  await signIn(page, 'wrong');
  await page.getByText('did not accept that token').waitFor();
  await page.getByText('Signed out', { exact: true }).waitFor();
  expect(await page.evaluate(STORED)).toBe(0);
});

it('signs out where the token is revoked, and shows the same view with another one', async () => {
  const { page, complaints } = await pages.open(`/ui/states/${story.stateId}`, site);
  await signIn(page, await tokenOf('watcher', 'reader'));
  await page.getByRole('tree', { name: 'Document' }).waitFor();
  await page.getByText('Live', { exact: true }).waitFor();
  await revoke('watcher');
  await page.getByText('does not accept the token of this tab any more').waitFor();
  await page.getByText('Signed out', { exact: true }).waitFor();
  expect(await page.getByRole('tree', { name: 'Document' }).count()).toBe(0);
  expect(await page.evaluate(STORED)).toBe(0);
  await signIn(page, await tokenOf('other', 'reader'));
  await page.getByRole('tree', { name: 'Document' }).waitFor();
  await page.getByText('Live', { exact: true }).waitFor();
  expect(complaints).toEqual([]);
});
