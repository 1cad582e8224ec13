// The circuit breaker, an event a line.
import { describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../../../src/domain/limits.js';
import type { WebhookDestination } from '../../../src/domain/records/records.js';
import { admitted, afterAnswer, afterFailure, newDestination } from '../../../src/domain/webhooks/breaker.js';
import { aDestination, NOW } from '../../store/records.js';

const limits = DEFAULT_LIMITS;

/** Plays events: `f`ails, `a`nswers, `?` asks, a number lets time pass. Gives what is said of each. */
function play(events: readonly (string | number)[]): { said: string[]; end: WebhookDestination } {
  let destination = newDestination('https://ci.example', NOW);
  let now = NOW;
  const said: string[] = [];
  for (const event of events) {
    if (typeof event === 'number') now += event;
    else if (event === 'f') destination = afterFailure(destination, now, limits);
    else if (event === 'a') destination = afterAnswer(destination, now);
    else {
      const asked = admitted(destination, now, limits);
      if ('go' in asked) destination = asked.go;
      said.push('go' in asked ? `go ${destination.status}` : `wait ${String(asked.wait - now)}`);
    }
  }
  return { said, end: destination };
}

describe('the breaker of a destination', () => {
  it.each<[string, (string | number)[], string[]]>([
    ['lets all pass while it is closed', ['?', '?'], ['go closed', 'go closed']],
    ['stays closed after fewer failures than it takes', ['f', 'f', 'f', 'f', '?'], ['go closed']],
    ['counts failures in a row', ['f', 'f', 'f', 'f', 'a', 'f', '?'], ['go closed']],
    ['opens with the fifth', ['f', 'f', 'f', 'f', 'f', '?'], ['wait 10000']],
    ['rests its time', ['f', 'f', 'f', 'f', 'f', 9_999, '?'], ['wait 1']],
    ['then lets one pass', ['f', 'f', 'f', 'f', 'f', 10_000, '?', '?'], ['go half_open', 'wait 20000']],
    ['closes when that is answered', ['f', 'f', 'f', 'f', 'f', 10_000, '?', 'a', '?', '?'], ['go half_open', 'go closed', 'go closed']],
    ['rests twice as long when it fails', ['f', 'f', 'f', 'f', 'f', 10_000, '?', 'f', '?'], ['go half_open', 'wait 20000']],
    ['lets another pass when that never came back', ['f', 'f', 'f', 'f', 'f', 10_000, '?', 20_000, '?'], ['go half_open', 'go half_open']],
    ['is not kept open by what was under way when it opened', ['f', 'f', 'f', 'f', 'f', 5_000, 'f', 'f', 5_000, '?'], ['go half_open']],
    ['rests as long as at first once it was closed', ['f', 'f', 'f', 'f', 'f', 10_000, '?', 'a', 'f', 'f', 'f', 'f', 'f', '?'], ['go half_open', 'wait 10000']],
  ])('%s', (_title, events, said) => {
    expect(play(events).said).toEqual(said);
  }); // prettier-ignore

  it.each(['open', 'half_open'] as const)(
    'is asked at once where the clock was set back since (%s)',
    (status) => {
      const day = 86_400_000;
      const left = aDestination({ status, failures: 5, opens: 1, until: NOW + day });
      expect(admitted(left, NOW, limits)).toMatchObject({ go: { status: 'half_open', until: NOW + 20_000 } });
      expect(admitted(left, NOW + day - limits.webhookBreakerMsMax, limits)).toEqual({ wait: NOW + day });
    },
  );

  it('rests five minutes at most, however often it was opened', () => {
    const events = [
      'f',
      'f',
      'f',
      'f',
      'f',
      ...Array.from({ length: 60 }, () => [300_000, '?', 'f']).flat(),
      '?',
    ];
    expect(play(events).said.at(-1)).toBe('wait 300000');
  });

  it('is the same record while nothing changes', () => {
    const closed = aDestination();
    expect(afterAnswer(closed, NOW + 1)).toBe(closed);
    expect(admitted(closed, NOW + 1, limits)).toEqual({ go: closed });
  });
});
