// What happens to the coordinators of a cluster, one after the other: killed, stopped for longer than a lease, cut off
// from the database.
import type { Member } from '../../support/cluster/member.js';
import { pause } from '../../support/eventually.js';
import type { Random } from '../random.js';

const FAULTS = ['killed', 'stopped', 'cut off', 'cut off silently'] as const;

export type Fault = (typeof FAULTS)[number];

export class Faults {
  readonly counts: Record<Fault, number> = { killed: 0, stopped: 0, 'cut off': 0, 'cut off silently': 0 };

  constructor(
    private readonly members: readonly Member[],
    private readonly random: Random,
    /** Coordinators are stopped for longer than this. */
    private readonly leaseMs: number,
  ) {}

  /** Goes on until it is told to stop, and each kind has been there. All coordinators are well then. */
  async run(signal: AbortSignal): Promise<void> {
    for (let n = 0; n < FAULTS.length || !signal.aborted; n += 1) {
      await pause(this.random.between(200, 1200));
      // Three coordinators and four kinds of faults: each kind meets each coordinator.
      const member = this.members[n % this.members.length];
      const fault = FAULTS[n % FAULTS.length];
      if (member === undefined || fault === undefined) continue;
      await this.#meet(member, fault);
      this.counts[fault] += 1;
    }
  }

  async #meet(member: Member, fault: Fault): Promise<void> {
    const { random } = this;
    switch (fault) {
      case 'killed':
        await member.kill();
        await pause(random.between(0, 1000));
        return member.start();
      case 'stopped':
        member.stop();
        await pause(this.leaseMs + random.between(500, 3000));
        member.go();
        return;
      default:
        member.loseDatabase(fault === 'cut off silently');
        await pause(random.between(500, 6000));
        member.findDatabase();
        return;
    }
  }
}
