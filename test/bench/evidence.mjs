// What signing costs a write, and what verification and a backup of a live database cost its writers.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { coordinatorOn, patches } from './coordinator.mjs';
import { documentOf } from './documents.mjs';
import { against, interleaved, round } from './load.mjs';
import { PROGRAM } from './processes.mjs';
import { figure, heading, line, rate, ratio } from './report.mjs';

const EVENTS = Number(process.env.BENCH_EVENTS ?? 1_000_000);
const STATES = 100;
const SECRET = { COUNTERSIGN_SIGNING_SECRET: 'a secret of at least 32 characters, for the bench' };

export async function evidence({ dir, seconds, rounds }) {
  const plain = await coordinatorOn(join(dir, 'plain.db'));
  const db = join(dir, 'signed.db');
  const signed = await coordinatorOn(db, { env: SECRET });
  let running = [plain, signed];
  try {
    const at =
      ({ url }, ids, ms = seconds) =>
      () =>
        round({ url, next: patches(url, ids), seconds: ms });
    const hot = {
      plain: [await plain.newState(documentOf(1000))],
      signed: [await signed.newState(documentOf(1000))],
    };
    const writes = await interleaved(rounds, { plain: at(plain, hot.plain), signed: at(signed, hot.signed) });
    heading('Signed histories');
    line(
      'PATCH of one hot state, signed / unsigned',
      figure(against(writes.signed, writes.plain)),
      '>= 0.90',
      rate(writes.signed),
    );
    running = [signed];
    await plain.stop();

    const many = await signed.newStates(STATES);
    const versions = async () =>
      (
        await Promise.all([...many, ...hot.signed].map((id) => signed.call('GET', `/workflow-states/${id}`)))
      ).reduce((sum, { version }) => sum + version, 0);
    while ((await versions()) < EVENTS) await at(signed, many, 10)();

    const alone = await at(signed, many, 5)();
    const beside = async (args) => {
      const run = command(args);
      const load = await at(signed, many, 5)();
      const done = await run;
      if (done.code !== 0) throw new Error(`${args[0]} ended with ${String(done.code)}: ${done.out}`);
      return { load, ...done };
    };
    const verified = await beside(['verify', '--db', db, '--json']);
    const { events } = JSON.parse(verified.out);
    line(`verify of ${events.toLocaleString('en')} events`, verified.seconds.toFixed(1), '<= 60', 'seconds');
    line('p99 of writes beside it / alone', ratio(verified.load.p99, alone.p99), '', rate(verified.load));
    const copied = await beside(['backup', join(dir, 'backup.db'), '--db', db, '--json']);
    line('backup of that database under load', copied.seconds.toFixed(1), '', 'seconds');
    line('p99 of writes beside it / alone', ratio(copied.load.p99, alone.p99), '', rate(copied.load));
    const again = await command(['verify', '--db', join(dir, 'backup.db'), '--json']);
    if (again.code !== 0) throw new Error(`the backup does not hold: ${again.out}`);
  } finally {
    await Promise.all(running.map((service) => service.stop()));
  }
}

/** Runs a command beside the load. */
function command(args) {
  const began = performance.now();
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...SECRET },
  });
  let out = '';
  child.stdout.on('data', (chunk) => (out += chunk));
  return new Promise((resolve) =>
    child.on('exit', (code) => resolve({ code, out, seconds: (performance.now() - began) / 1000 })),
  );
}
