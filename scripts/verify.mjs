// What CI runs: types and lint side by side, then all tests, whose summary comes last.
import { spawn } from 'node:child_process';

/** True if the script of package.json succeeded. */
const run = (script) =>
  new Promise((resolve, reject) => {
    const npm = spawn('npm', ['run', script], { stdio: 'inherit', shell: process.platform === 'win32' });
    npm.once('error', reject);
    npm.once('exit', (code) => resolve(code === 0));
  });

const checks = await Promise.all([run('typecheck'), run('lint')]);
const isWell = checks.every(Boolean) && (await run('test:all'));
process.exitCode = isWell ? 0 : 1;
