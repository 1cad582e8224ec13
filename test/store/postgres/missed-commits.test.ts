// What happens between the discovery of missed commits and the end of the look at what they may have changed.
import { describe, expect, it } from 'vitest';
import { Connections } from '../../../src/store/postgres/connection/connections.js';
import { DEFAULT_POSTGRES_LIMITS } from '../../../src/store/postgres/limits.js';
import { RemoteCommits } from '../../../src/store/postgres/writes/commits/remote-commits.js';
import { Scopes } from '../../../src/store/postgres/writes/scopes.js';
import { SeenCommits } from '../../../src/store/postgres/writes/seen-commits.js';

/** Never connected: the look itself is up to the listeners. */
const connections = new Connections(
  { urls: ['postgres://127.0.0.1:1/none'], name: 'none', arePoolers: false, listenUrls: [] },
  DEFAULT_POSTGRES_LIMITS,
  () => undefined,
);

function openCommits(onMissed: (look: number, seen: SeenCommits) => Promise<void>) {
  let looks = 0;
  const scopes = new Scopes(100);
  const seen = new SeenCommits({ scopes, apply: () => undefined, onRemote: () => undefined });
  const remote = new RemoteCommits({
    connections,
    limits: DEFAULT_POSTGRES_LIMITS,
    coordinatorId: 'this',
    scopes,
    seen,
    onMissed: () => onMissed((looks += 1), seen),
  });
  return { seen, remote, looks: () => looks };
}

describe('commits that were missed', () => {
  it('stay missed until the listeners have read everything again', async () => {
    const during: boolean[] = [];
    const { seen, remote } = openCommits((_, { isMissing }) => {
      during.push(isMissing);
      return Promise.resolve();
    });
    seen.miss();
    await remote.lookAgain();
    expect(during).toEqual([true]);
    expect(seen.isMissing).toBe(false);
  });

  it('are looked for once more if others are missed during the look', async () => {
    const { seen, remote, looks } = openCommits((look, commits) => {
      if (look === 1) commits.miss();
      return Promise.resolve();
    });
    seen.miss();
    await remote.lookAgain();
    expect(looks()).toBe(2);
    expect(seen.isMissing).toBe(false);
  });

  it('are given up if others are missed during each look: who waits is told that the database is busy', async () => {
    const { seen, remote } = openCommits((_, commits) => {
      commits.miss();
      return Promise.resolve();
    });
    seen.miss();
    await expect(remote.lookAgain()).rejects.toMatchObject({ code: 'storage_busy' });
  });

  it('stay missed if the look fails', async () => {
    const { seen, remote } = openCommits(() => Promise.reject(new Error('the database is away')));
    seen.miss();
    await expect(remote.lookAgain()).rejects.toThrow('the database is away');
    expect(seen.isMissing).toBe(true);
  });
});
