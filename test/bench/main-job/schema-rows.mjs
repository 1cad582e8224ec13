// Writes under realistic schemas against writes under the plain one, with documents of the same size.
import { join } from 'node:path';
import { coordinatorOn, JSON_PATCH, numbered } from '../coordinator.mjs';
import { against, CONNECTIONS, interleaved, round } from '../load.mjs';
import { figure, heading, line, rate } from '../report.mjs';
import { PLAIN, REALISTIC } from './schemas.mjs';

/** What is asked, by the size of the document; and how many states are written in turn, in how many rounds at most. */
const SIZES = {
  '1 KB': { bytes: 1000, states: 100, roundsMax: Infinity, must: '>= 0.85', aim: '1.0' },
  '100 KB': { bytes: 100_000, states: 1, roundsMax: 5, must: '>= 0.70', aim: '0.90' },
};

export async function schemaRows({ dir, seconds, rounds }) {
  const service = await coordinatorOn(join(dir, 'schemas.db'));
  try {
    const all = Object.entries({ plain: PLAIN, ...REALISTIC });
    for (const [i, [, { schema }]] of all.entries()) {
      await service.call('POST', '/workflow-schemas', { name: `kind-${String(i)}`, json_schema: schema });
    }
    for (const [size, { bytes, states, roundsMax, must, aim }] of Object.entries(SIZES)) {
      const measures = {};
      const sizes = {};
      for (const [i, [name, { document, patch }]] of all.entries()) {
        const requests = [];
        sizes[name] = JSON.stringify(document(bytes)).length;
        while (requests.length < states) {
          const { state_id: id } = await service.call('POST', '/workflow-states', {
            schema_name: `kind-${String(i)}`,
            initial_data: document(bytes),
          });
          const request = { method: 'PATCH', path: `/workflow-states/${id}`, headers: JSON_PATCH };
          requests.push(numbered(service.url, request, patch));
        }
        let next = 0;
        measures[name] = () =>
          round({
            url: service.url,
            next: () => requests[(next += 1) % states](),
            seconds: seconds / 2,
            connections: CONNECTIONS,
          });
      }
      const measured = await interleaved(Math.min(rounds, roundsMax), measures);
      heading(`PATCH under a realistic schema / under the plain one, ${size}, ${String(states)} states`);
      for (const [name] of all) {
        const told = `${rate(measured[name])}; ${String(sizes[name])} bytes`;
        if (name === 'plain') line(name, '1.00', '', told);
        else line(name, figure(against(measured[name], measured.plain)), must, `${told}; aim ${aim}`);
      }
    }
  } finally {
    await service.stop();
  }
}
