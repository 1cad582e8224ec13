// Requests as such: their bodies, their headers, and how they come.
import { list, many, onState, pause, scalars, wide, type Attack } from '../kit.js';

/** Bodies of 4 MB: nested, broken, and of many numbers. */
const BODIES = () => [
  `${'['.repeat(2_000_000)}${']'.repeat(2_000_000)}`,
  `{"data": ${'{"a":'.repeat(600_000)}1${'}'.repeat(600_000)}}`,
  `{"data": {"items": [${'1,'.repeat(1_900_000)}x]}}`,
  `{"data": {"items": [${'1,'.repeat(1_900_000)}1]}}`,
  `{"data": {"text": "${'\\u0041'.repeat(600_000)}\n"}}`,
  `{"data": {"items": [${'{},'.repeat(1_200_000)}{}]}}`,
];

export const requests: readonly Attack[] = [
  onState(
    'bodies of 4 MB: nested, broken, of many numbers',
    () => ({ n: 0 }),
    ({ target, path }) => {
      const texts = BODIES();
      return many(30, 10, (at) => target.call('PUT', path, texts[at % texts.length]));
    },
  ),
  onState(
    '2,000 requests in one pipeline',
    () => scalars(100_000, 1),
    async ({ target, path }) => {
      const one = `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${String(target.port)}\r\n\r\n`;
      const socket = await target.raw(one.repeat(2000));
      socket.pause();
      await pause(3000);
      socket.destroy();
    },
  ),
  {
    name: 'many parameters and headers',
    ready: (target) => {
      const query = list(2000, (n) => `p${String(n)}=1`).join('&');
      return Promise.resolve(() =>
        many(200, 50, (at) =>
          target.call(
            'GET',
            `/workflow-states?${query}`,
            undefined,
            wide(at % 2 === 0 ? 300 : 10, 'x'.repeat(30), 'x-h') as Record<string, string>,
          ),
        ),
      );
    },
  },
];
