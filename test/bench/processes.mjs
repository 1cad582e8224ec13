// Servers under measurement run as processes of their own, so that the load does not share their event loop.
import { execFileSync, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const at = (path) => fileURLToPath(new URL(path, import.meta.url));

/** With BENCH_PROFILE each server writes a CPU profile into that folder when it ends. */
const PROFILE = process.env.BENCH_PROFILE;
const NODE_ARGS =
  PROFILE === undefined ? [] : ['--cpu-prof', '--cpu-prof-interval=500', `--cpu-prof-dir=${PROFILE}`];

/** Starts a program and waits for the line that names its URL. */
function start(args, env = {}) {
  const child = spawn(process.execPath, [...NODE_ARGS, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  });
  return new Promise((resolve, reject) => {
    let said = '';
    child.on('exit', (code) => reject(new Error(`${args[0]} ended with ${String(code)}`)));
    child.stdout.on('data', (chunk) => {
      said += chunk;
      const url = /http:\/\/[0-9.:]+/.exec(said)?.[0];
      if (url !== undefined) resolve({ url, pid: child.pid, stop: () => stop(child) });
    });
  });
}

function stop(child) {
  child.removeAllListeners('exit');
  return new Promise((resolve) => {
    child.on('exit', resolve);
    child.kill('SIGTERM');
  });
}

export const startEcho = (document) => start([at('./echo-server.mjs'), JSON.stringify(document)]);

/** The program that is measured. */
export const PROGRAM = at('../../dist/main/bin.js');

/** @param args - Further options of `countersign serve`. @param env - Further variables. */
export const startCountersign = (db, args = [], env = {}) =>
  start([PROGRAM, 'serve', '--port', '0', '--db', db, '--log-level', 'error', ...args], env);

/** Runs a command to its end. @returns What it wrote to its standard output. */
export const runCountersign = (args) =>
  execFileSync(process.execPath, [PROGRAM, ...args], { encoding: 'utf8' });

/** Processor time that all threads of a process have taken, ms; of Linux. */
export const processorMs = (pid) =>
  readdirSync(`/proc/${String(pid)}/task`)
    .map((task) => readFileSync(`/proc/${String(pid)}/task/${task}/schedstat`, 'utf8'))
    .reduce((sum, text) => sum + Number(text.split(' ')[0]) / 1e6, 0);

/** Resident memory of a process, MB; of Linux. */
export const residentMb = (pid) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${String(pid)}/status`, 'utf8'))?.[1]) / 1024;
