// Requests with `--auth` and the token of a session, against the same requests of a session that a header names, on a
// service without `--auth`.
import { join } from 'node:path';
import { coordinatorOn, numbered, same } from '../coordinator.mjs';
import { documentOf, twoOperations } from '../documents.mjs';
import { against, interleaved, round } from '../load.mjs';
import { runCountersign } from '../processes.mjs';
import { figure, heading, line, rate } from '../report.mjs';
import { asSession, JSON_BODY, JSON_PATCH } from './caller.mjs';

/** A root that a runner runs, with its state of 1 KB, and the token of its run. */
async function runningRoot(service) {
  const run = await service.call('POST', '/runs', {
    type: 'start_session',
    session_name: 'access',
    prompt: 'Work.',
  });
  const { runner_id: runner } = await service.call('POST', '/runner/register', {
    hostname: 'bench',
    executor_types: ['command'],
  });
  const { runs } = await service.call('GET', `/runner/runs?runner_id=${runner}&wait=5s&capacity=1`);
  const claimed = runs.find(({ run_id: id }) => id === run.run_id);
  await service.call('POST', `/runner/runs/${run.run_id}/started`, {
    runner_id: runner,
    attempt: claimed.attempt,
    lease_token: claimed.lease_token,
  });
  const { state_id: stateId } = await service.call('POST', '/workflow-states', {
    schema_name: 'bench',
    initial_data: documentOf(1000),
    root_session_name: 'access',
  });
  return { stateId, token: claimed.environment.COUNTERSIGN_TOKEN };
}

export async function accessRows({ dir, seconds, allRounds }) {
  const [openDb, guardedDb] = [join(dir, 'open.db'), join(dir, 'guarded.db')];
  const admin = JSON.parse(
    runCountersign(['token', 'create', '--name', 'bench', '--role', 'admin', '--db', guardedDb, '--json']),
  ).token;
  const open = await coordinatorOn(openDb, { args: ['--lease-ms', '3600000'] });
  const guarded = await coordinatorOn(guardedDb, { args: ['--auth', '--lease-ms', '3600000'], token: admin });
  try {
    const root = { open: await runningRoot(open), guarded: await runningRoot(guarded) };
    const bearer = (headers) => ({ ...headers, authorization: `Bearer ${root.guarded.token}` });
    const named = (headers) => asSession('access', headers);
    const path = {
      open: `/workflow-states/${root.open.stateId}`,
      guarded: `/workflow-states/${root.guarded.stateId}`,
    };
    const at =
      ({ url }, next) =>
      () =>
        round({ url, next, seconds });
    const patch = (where, url, headers) =>
      numbered(url, { method: 'PATCH', path: path[where], headers }, twoOperations);
    // Two processes with a database each differ by more than the token does.
    const measured = await interleaved(allRounds, {
      patch: at(open, patch('open', open.url, named(JSON_PATCH))),
      patchWithToken: at(guarded, patch('guarded', guarded.url, bearer(JSON_PATCH))),
      get: at(open, same(open.url, { method: 'GET', path: path.open, headers: named(JSON_BODY) })),
      getWithToken: at(
        guarded,
        same(guarded.url, { method: 'GET', path: path.guarded, headers: bearer(JSON_BODY) }),
      ),
    });
    heading('`--auth` and a session token, against a session named by a header');
    line(
      'PATCH with a token / without',
      figure(against(measured.patchWithToken, measured.patch)),
      '>= 0.90',
      `${rate(measured.patchWithToken)}; aim 1.0`,
    );
    line(
      'GET with a token / without',
      figure(against(measured.getWithToken, measured.get)),
      '>= 0.90',
      `${rate(measured.getWithToken)}; aim 1.0`,
    );
  } finally {
    await Promise.all([open.stop(), guarded.stop()]);
  }
}
