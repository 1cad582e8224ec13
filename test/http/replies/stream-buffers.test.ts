// What is held for readers: shared bytes once, within bounds, the slowest let go first.
import { describe, expect, it } from 'vitest';
import { StreamBuffers } from '../../../src/http/replies/stream-buffers.js';

const LIMITS = { streamBytesPerCallerMax: 100, streamBufferBytesMax: 150 };

describe('the buffers of streams', () => {
  const setUp = () => {
    const buffers = new StreamBuffers(LIMITS);
    const dropped: string[] = [];
    const hold = (bytes: Uint8Array, caller: string, name: string) =>
      buffers.hold(bytes, caller, () => dropped.push(name));
    return { buffers, dropped, hold };
  };

  it('count bytes that many readers share once', () => {
    const { buffers, dropped, hold } = setUp();
    const bytes = new Uint8Array(80);
    const releases = Array.from({ length: 600 }, (_, at) => hold(bytes, 'one', String(at)));
    expect(buffers.bytes).toBe(80);
    expect(dropped).toEqual([]);
    for (const release of releases) release();
    expect(buffers.bytes).toBe(0);
  });

  it('let the reader of a caller go that has waited longest, once too much is held for that caller', () => {
    const { buffers, dropped, hold } = setUp();
    hold(new Uint8Array(40), 'other', 'other');
    hold(new Uint8Array(60), 'one', 'first');
    hold(new Uint8Array(50), 'one', 'second');
    expect(dropped).toEqual(['first']);
    expect(buffers.bytes).toBe(90);
  });

  it('let the reader go that has waited longest, once too much is held in all', () => {
    const { buffers, dropped, hold } = setUp();
    const release = hold(new Uint8Array(60), 'one', 'first');
    hold(new Uint8Array(60), 'two', 'second');
    hold(new Uint8Array(60), 'three', 'third');
    expect(dropped).toEqual(['first']);
    expect(buffers.bytes).toBe(120);
    release();
    expect(buffers.bytes).toBe(120);
  });
});
