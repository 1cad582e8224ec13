// Installs packages of Debian for tests that need their programs. Several tests may do so at the same time.
import { spawnSync } from 'node:child_process';

/** How long to wait for others who install something, and how long between two looks. */
const WAIT_MS = 300_000;
const PAUSE_MS = 2000;

/** What apt-get says where somebody else holds its locks. */
const LOCKED = /could not get lock|unable to (acquire|lock)/i;

/** @returns Whether others held the locks. */
function aptGet(args) {
  const { stderr } = spawnSync('apt-get', args, {
    encoding: 'utf8',
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C' },
  });
  return LOCKED.test(stderr ?? '');
}

/** Whether somebody has begun to install one of the packages and is not done. */
function areUnderWay(packages) {
  const { stdout } = spawnSync('dpkg-query', ['-W', '-f', '${db:Status-Status} ', ...packages], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return /unpacked|half-/.test(stdout ?? '');
}

/**
 * Installs the packages as root if their programs are not there. Waits while another process installs some.
 *
 * @param find - Finds what the packages bring, or `undefined`.
 * @param packages - Names of the packages.
 * @returns What `find` finds at last.
 */
export function withPackages(find, packages) {
  const mayInstall = process.getuid?.() === 0;
  const end = Date.now() + WAIT_MS;
  const steps = [['update'], ['install', '-y', '--no-install-recommends', ...packages]];
  const isMissing = () => find() === undefined || areUnderWay(packages);
  while (mayInstall && steps.length > 0 && isMissing() && Date.now() < end) {
    if (aptGet(steps[0])) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
    else steps.shift();
  }
  return find();
}
