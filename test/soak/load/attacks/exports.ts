// Exports: the state, its schema and its whole history, page by page, as `state export --history` asks for them.
import {
  each,
  many,
  onState,
  pause,
  scalars,
  silentReaders,
  text,
  type AttackedState,
  type Attack,
} from '../kit.js';

const PAGES = '/events?limit=1000';

async function exportOf(state: AttackedState): Promise<void> {
  const { target, path } = state;
  const { body } = await state.get();
  await target.call('GET', `/workflow-schemas/${body.schema_name}?version=${body.schema_version}`);
  for (let since = 0; since < body.version;) {
    const page = await target.call('GET', `${path}${PAGES}&since=${String(since)}`);
    since = page.body.events?.at(-1)?.version ?? body.version;
  }
}

export const exports: readonly Attack[] = [
  onState(
    '200 exports of a history of 20 versions of 900 KB at once',
    () => text(0),
    (state) => many(200, 200, () => exportOf(state)),
    { before: (state) => each(20, (at) => state.put(text(at + 1))) },
  ),
  onState(
    '200 exports of a history of 3,000 small versions at once',
    () => scalars(1000, 1),
    (state) => many(200, 200, () => exportOf(state)),
    { before: (state) => many(3000, 50, (at) => state.set(`/items/${String(at % 1000)}`, at)) },
  ),
  onState(
    '600 exports of 900 KB that are read slowly or not at all',
    () => text(0),
    async ({ target, path }) => {
      await silentReaders(target, 300, path);
      await silentReaders(target, 300, `${path}${PAGES}`);
      // What is taken comes in sips.
      for (const socket of target.sockets) socket.resume();
      await pause(50);
      for (const socket of target.sockets) socket.pause();
      await pause(1000);
      target.hangUp();
    },
    { before: (state) => each(10, (at) => state.put(text(at + 1))) },
  ),
];
