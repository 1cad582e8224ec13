// The dashboard in a real browser: what it loads, how smooth it stays, and what it costs the service.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { launch } from '../../scripts/chromium.mjs';
import { coordinatorOn, JSON_PATCH, patches } from './coordinator.mjs';
import { documentOf } from './documents.mjs';
import { median, round } from './load.mjs';
import { figure, heading, line } from './report.mjs';

const EVENTS = 10_000;
const DOCUMENT_BYTES = 1_000_000;
const STATES = Number(process.env.BENCH_STATES ?? 100_000);
const CHANGES_PER_MINUTE = 1000;
const CHANGES = Number(process.env.BENCH_CHANGES ?? 500);
const SCRUBS = 60;
const SESSIONS = 1000;
const BRANCH = 50;
const ANY_VERSION = { 'content-type': 'application/json', 'if-match': '*' };
const VIEWPORT = { width: 1280, height: 900 };

export async function dashboard({ dir }) {
  await withService(join(dir, 'dashboard.db'), async (service) => {
    for (const part of [firstLoad, scrubbing, changing, growing]) await part(service);
  });
  await withService(join(dir, 'dashboard-lists.db'), listing);
}

async function withService(db, work) {
  const service = await coordinatorOn(db);
  try {
    await work(service);
  } finally {
    await service.stop();
  }
}

/** A page on a view in a browser of its own, once it is live. It counts the tasks that take longer than 50 ms. */
async function opened(service, path) {
  const page = await (await launch()).newPage({ viewport: VIEWPORT });
  await page.addInitScript(`
    window.longTasks = [];
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) window.longTasks.push(duration);
    }).observe({ type: 'longtask' });
  `);
  await page.goto(new URL(path, service.url).href);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.getByText('Live', { exact: true }).waitFor();
  return page;
}

async function firstLoad(service) {
  heading('First load of the dashboard');
  const page = await (await launch()).newPage({ viewport: VIEWPORT });
  const sizes = [];
  page.on('response', (response) => {
    if (/\.js$/.test(new URL(response.url()).pathname))
      sizes.push(Number(response.headers()['content-length']));
  });
  await page.goto(service.url);
  await page.getByText('Live', { exact: true }).waitFor();
  await page.locator('.chart canvas').first().waitFor();
  line('compressed script, KB', figure(sizes.reduce((sum, one) => sum + one, 0) / 1000), '<= 300');
  await page.context().browser().close();
}

async function scrubbing(service) {
  heading(`A state of ${String(DOCUMENT_BYTES)} bytes with ${String(EVENTS)} events`);
  const id = await service.newState(documentOf(DOCUMENT_BYTES));
  const { root_session_id: root } = await service.call('GET', `/workflow-states/${id}`);
  // By key: the answer to a write of the state has the whole document.
  for (let n = 2; n <= EVENTS; n += 1)
    await service.call('PUT', `/sessions/${root}/state/keys/counter`, { value: n }, ANY_VERSION);
  const page = await opened(service, `/ui/states/${id}`);
  await page.getByRole('treeitem').first().waitFor();
  await page.getByText(`Version ${String(EVENTS)} of ${String(EVENTS)}`).waitFor();
  // What opening takes is not scrubbing.
  await pause(1000);
  await page.evaluate('window.longTasks.length = 0');
  const slider = await page.getByRole('slider').boundingBox();
  const y = slider.y + slider.height / 2;
  await page.mouse.move(slider.x + slider.width - 8, y);
  await page.mouse.down();
  for (let n = 0; n <= SCRUBS; n += 1) {
    await page.mouse.move(slider.x + 8 + ((slider.width - 16) * (SCRUBS - n)) / SCRUBS, y);
    await pause(50);
  }
  await page.mouse.up();
  await page.getByText('This is the past.').waitFor();
  await pause(1000);
  const tasks = await page.evaluate('window.longTasks');
  line('longest task while scrubbing, ms', figure(Math.max(0, ...tasks)), '<= 200');
  line('tasks over 50 ms', String(tasks.length), '', `in ${String(SCRUBS)} moves`);
  await page.context().browser().close();
}

/** Processor time of a process so far, milliseconds. Linux counts it in hundredths of a second. */
function processorMs(pid) {
  const fields = readFileSync(`/proc/${String(pid)}/stat`, 'utf8')
    .split(') ')[1]
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** @returns The share of a core that the service uses while states change, one change after the other. */
async function shareWhileChanging(service, states) {
  const [cpu, from] = [processorMs(service.pid), performance.now()];
  for (let n = 0; n < CHANGES; n += 1) {
    const patch = [{ op: 'replace', path: '/counter', value: Math.floor(Math.random() * 1e9) }];
    await service.call('PATCH', `/workflow-states/${states[n % states.length]}`, patch, JSON_PATCH);
    const due = from + ((n + 1) * 60_000) / CHANGES_PER_MINUTE;
    await pause(Math.max(0, due - performance.now()));
  }
  return (processorMs(service.pid) - cpu) / (performance.now() - from);
}

async function changing(service) {
  heading(`The overview with ${String(CHANGES_PER_MINUTE)} changes a minute`);
  const states = await service.newStates(200);
  // A coordinator that has just started runs code that is not compiled yet, at twice the price.
  await round({ url: service.url, next: patches(service.url, states), seconds: 10 });
  const alone = await shareWhileChanging(service, states);
  const page = await opened(service, '/');
  const beside = await shareWhileChanging(service, states);
  const percent = (share) => figure(100 * share);
  line(
    'share of a core for the page, %',
    percent(beside - alone),
    '<= 5',
    `with the changes themselves ${percent(beside)}`,
  );
  line('tasks over 50 ms in the page', String(await page.evaluate('window.longTasks.length')));
  await page.context().browser().close();
}

/** A tree of 1,000 sessions, each for itself in the graph, while further ones come. */
async function growing(service) {
  heading(`A tree of ${String(SESSIONS)} sessions`);
  const create = (session_name, parent_session_name) =>
    service.call('POST', '/sessions', { session_name, parent_session_name, external: true });
  const { status } = await service.call('POST', '/sessions', {
    session_name: 'thousand',
    external: true,
  });
  const branches = [];
  for (let n = 1; n < SESSIONS; n += BRANCH) {
    const branch = await create(`branch-${String(n)}`, 'thousand');
    branches.push(branch.session_id);
    await Promise.all(
      Array.from({ length: BRANCH - 1 }, (_, i) => create(`kid-${String(n + i)}`, branch.session_name)),
    );
  }
  const open = encodeURIComponent(JSON.stringify(branches.map((id) => `${id}.${status}.none`)));
  const page = await opened(service, `/ui/trees/thousand?open=${open}`);
  await page.locator('.react-flow__node').first().waitFor();
  await pause(1000);
  line(
    'longest task when it is opened, ms',
    figure(Math.max(0, ...(await page.evaluate('window.longTasks')))),
  );
  await page.evaluate('window.longTasks.length = 0');
  for (let n = 0; n < 20; n += 1) {
    await create(`late-${String(n)}`, 'branch-1');
    await pause(150);
  }
  await pause(1000);
  line(
    'longest task while it grows, ms',
    figure(Math.max(0, ...(await page.evaluate('window.longTasks')))),
    '<= 200',
  );
  await page.context().browser().close();
}

async function listing(service) {
  heading(`The list of ${String(STATES)} states`);
  await service.newStates(STATES);
  await service.call('POST', '/sessions', { session_name: 'wanted', external: true });
  await service.call('POST', '/workflow-states', {
    schema_name: 'bench',
    initial_data: documentOf(100),
    root_session_name: 'wanted',
  });
  const views = {
    'newest first': '/workflow-states?limit=50&order=newest',
    'oldest first': '/workflow-states?limit=50',
    'last changed first': '/workflow-states?limit=50&order=changed',
    'search by name': '/workflow-states?limit=50&order=newest&search=wan',
    'search that all states match': '/workflow-states?limit=50&order=newest&search=ses_',
    'by schema': '/workflow-states?limit=50&order=newest&schema=bench',
    'changed in the last hour': `/workflow-states?limit=50&order=newest&updated_since=${new Date(Date.now() - 3_600_000).toISOString()}`,
    'changed since now': `/workflow-states?limit=50&order=newest&updated_since=${new Date(Date.now() + 1000).toISOString()}`,
    overview: '/overview',
  };
  for (const [name, path] of Object.entries(views)) {
    const times = [];
    for (let n = 0; n < 15; n += 1) {
      const from = performance.now();
      await service.call('GET', path);
      times.push(performance.now() - from);
    }
    line(`${name}, ms`, figure(median(times)));
  }
  const page = await opened(service, '/ui/states');
  const row = page.locator('tbody').getByRole('row').first();
  const before = await row.textContent();
  let from = performance.now();
  await page.getByLabel('First come').selectOption('the oldest');
  await row.filter({ hasNotText: before }).waitFor();
  line('another order in the page, ms', figure(performance.now() - from), '<= 500');
  from = performance.now();
  await page.getByRole('link', { name: 'Next page' }).click();
  await page.waitForURL(/cursor=/);
  await page.getByRole('link', { name: 'First page' }).waitFor();
  line('next page, ms', figure(performance.now() - from), '<= 500');
  from = performance.now();
  await page.getByLabel('Search').fill('wanted');
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'wanted', exact: true }).waitFor();
  line('search in the page, ms', figure(performance.now() - from), '<= 500');
  await page.context().browser().close();
}
