// Keeps output of any length in bounded memory: its head and its tail, and the number of bytes between them.

const NOTE_BYTES_MAX = 64;

/** Collects output in bounded memory. */
interface BoundedOutput {
  push(chunk: Uint8Array): void;
  /** The output as text of at most `bytesMax` bytes of UTF-8; a note replaces what was cut. */
  text(): string;
}

/**
 * @param bytesMax - Bound of the text, note included.
 * @param headShare - Share kept from the beginning, 0 to 1; results are usually at the end.
 */
export function createBoundedOutput(bytesMax: number, headShare = 0.25): BoundedOutput {
  const keptBytesMax = Math.max(0, bytesMax - NOTE_BYTES_MAX);
  const headMax = Math.floor(keptBytesMax * headShare);
  const ring = createRing(keptBytesMax - headMax);
  const head: Uint8Array[] = [];
  let headBytes = 0;

  const text = () => {
    const start = Buffer.concat(head);
    if (ring.droppedBytes === 0) return decode(Buffer.concat([start, ring.bytes()]));
    const tail = afterContinuation(ring.bytes());
    const dropped = ring.droppedBytes.toLocaleString('en-US');
    const note = `[… ${dropped} bytes cut …]\n`;
    const lead = decodePrefix(start);
    return `${lead}${lead === '' || lead.endsWith('\n') ? '' : '\n'}${note}${decode(tail)}`;
  };

  return {
    push(chunk) {
      const toHead = chunk.subarray(0, headMax - headBytes);
      if (toHead.length > 0) head.push(Uint8Array.from(toHead));
      headBytes += toHead.length;
      ring.push(chunk.subarray(toHead.length));
    },
    // Bytes that are not UTF-8 grow when they are decoded, so the text is bounded again.
    text: () => boundText(text(), bytesMax, headShare),
  };
}

/** Cuts the middle of a text that is longer than allowed. */
export function boundText(text: string, bytesMax: number, headShare = 0.25): string {
  const bytes = Buffer.from(text, 'utf8');
  if (bytes.length <= bytesMax) return text;
  const output = createBoundedOutput(bytesMax, headShare);
  output.push(bytes);
  return output.text();
}

/** A ring buffer of the newest bytes, up to a capacity; allocated at the first byte. */
function createRing(capacity: number) {
  let buffer: Buffer | null = null;
  let end = 0; // next write position
  let totalBytes = 0;
  return {
    get droppedBytes() {
      return Math.max(0, totalBytes - capacity);
    },
    push(chunk: Uint8Array) {
      totalBytes += chunk.length;
      const newest = chunk.subarray(Math.max(0, chunk.length - capacity));
      if (newest.length === 0) return;
      buffer ??= Buffer.alloc(capacity);
      const untilWrap = newest.subarray(0, capacity - end);
      buffer.set(untilWrap, end);
      buffer.set(newest.subarray(untilWrap.length), 0);
      end = (end + newest.length) % capacity;
    },
    bytes(): Buffer {
      if (buffer === null) return Buffer.alloc(0);
      if (totalBytes < capacity) return buffer.subarray(0, end);
      return Buffer.concat([buffer.subarray(end), buffer.subarray(0, end)]);
    },
  };
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

/** Omits a character that is cut at the end of the head. */
function decodePrefix(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes, { stream: true });
}

/** Omits the rest of a character that is cut at the start of the tail. */
function afterContinuation(bytes: Buffer): Buffer {
  let start = 0;
  while (start < 3 && start < bytes.length && ((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1;
  return bytes.subarray(start);
}
