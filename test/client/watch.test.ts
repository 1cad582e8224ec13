// `watch` against a stream whose events arrive together. test/http/streams.test.ts has the real service.
import { afterEach, describe, expect, it } from 'vitest';
import { ConnectionError, createClient, watch } from '../../src/client/index.js';
import { must } from '../service/harness.js';
import { startHttpDouble, type HttpDouble } from './http-double.js';

const doubles: HttpDouble[] = [];
afterEach(async () => {
  await Promise.all(doubles.splice(0).map((double) => double.close()));
});

const update = (version: number) =>
  `id: ${version}\nevent: workflow_state_updated\ndata: ${JSON.stringify({ version })}\n\n`;
const refusal = `event: dropped\ndata: ${JSON.stringify({ reason: 'refused', error: 'state_not_found', detail: '' })}\n\n`;

/** Sends all of it in one chunk. */
async function streamOf(body: string) {
  const double = await startHttpDouble(() => ({
    status: 200,
    headers: { 'content-type': 'text/event-stream' },
    body,
  }));
  doubles.push(double);
  return double;
}
const VERSIONS = Array.from({ length: 121 }, (_, at) => at + 1);

describe('watch', () => {
  it('yields nothing after its signal is aborted, also of what has arrived', async () => {
    const { url, asked } = await streamOf(VERSIONS.map(update).join(''));
    const stop = new AbortController();
    const ids: string[] = [];
    for await (const event of watch(createClient({ url }), 'sta_1', { since: 0, signal: stop.signal })) {
      ids.push(must(event).id);
      if (ids.length === 2) stop.abort();
    }
    expect(ids).toEqual(['1', '2']);
    expect(asked).toHaveLength(1);
  });

  it('yields no refusal after its signal is aborted', async () => {
    const { url } = await streamOf(update(1) + refusal);
    const stop = new AbortController();
    let yielded = 0;
    for await (const event of watch(createClient({ url }), 'sta_1', { signal: stop.signal })) {
      expect(event.ok).toBe(true);
      yielded += 1;
      stop.abort();
    }
    expect(yielded).toBe(1);
  });

  it('throws a ConnectionError if an event has no JSON object as its data', async () => {
    const { url, asked } = await streamOf('id: 1\nevent: workflow_state_updated\ndata: null\n\n');
    const events = watch(createClient({ url }), 'sta_1');
    await expect(events.next()).rejects.toMatchObject({ name: 'ConnectionError', fault: 'not_understood' });
    expect(asked).toHaveLength(1);
  });

  it('throws a ConnectionError once the signal of the client is aborted, also before what has arrived', async () => {
    const { url, asked } = await streamOf(VERSIONS.map(update).join(''));
    const stop = new AbortController();
    const ids: string[] = [];
    const follow = async () => {
      for await (const event of watch(createClient({ url, signal: stop.signal }), {})) {
        ids.push(must(event).id);
        if (ids.length === 2) stop.abort();
      }
    };
    const error = await follow().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ fault: 'aborted' });
    expect(ids).toEqual(['1', '2']);
    expect(asked).toHaveLength(1);
  });

  it('ends with a batch of a service in the same process, too', async () => {
    const stop = new AbortController();
    // eslint-disable-next-line @typescript-eslint/require-await -- a stream is asynchronous
    const stream = (async function* () {
      yield VERSIONS.map((version) => ({ id: String(version), event: 'bookmark', data: {} }) as const);
    })();
    const all = () => Promise.resolve({ ok: true, value: stream } as const);
    let yielded = 0;
    for await (const event of watch({ streams: { all, state: all } }, {}, { signal: stop.signal })) {
      expect(event.ok).toBe(true);
      yielded += 1;
      if (yielded === 2) stop.abort();
    }
    expect(yielded).toBe(2);
  });
});
