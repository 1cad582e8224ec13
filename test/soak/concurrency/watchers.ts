// Clients that hear of every change: by Server-Sent Events, WebSockets, blocking reads, the history, the product's own client. They come back after a lost
// connection where they were, and hold what they hear against the rule: every version once, in order.
import { createParser } from 'eventsource-parser';
import { WebSocket } from 'ws';
import { watch as watchWithClient, type CountersignService } from '../../../src/client/index.js';
import { pause } from '../../support/eventually.js';

const PACE_MS = 25;

/** What one watcher has heard. */
export class Watch {
  /** Last version of each state. */
  readonly heard = new Map<string, number>();
  events = 0;
  /** How often it came back. */
  resumed = 0;
  readonly problems: string[] = [];

  constructor(
    readonly name: string,
    /** False where it is told of the newest only, so that versions may be passed over. */
    private readonly each = true,
  ) {}

  hear(stateId: string, version: number): void {
    const last = this.heard.get(stateId) ?? 0;
    this.heard.set(stateId, version);
    this.events += 1;
    if (version === last + 1 || (!this.each && version > last)) return;
    this.problems.push(`${this.name} heard version ${String(version)} of ${stateId} after ${String(last)}`);
  }
}

/** Follows a stream until the signal; comes back with `Last-Event-ID`. */
export async function followStream(watch: Watch, url: string, signal: AbortSignal): Promise<void> {
  const place: { lastId: string | null } = { lastId: null };
  while (!signal.aborted) {
    const parser = createParser({
      onEvent: ({ id, event, data }) => {
        if (id !== undefined && id !== '') place.lastId = id;
        const body = JSON.parse(data);
        if (event === 'workflow_state_updated') watch.hear(body.state_id, body.version);
        if (event === 'dropped' && body.reason === 'refused') watch.problems.push(`${watch.name}: ${data}`);
      },
    });
    try {
      const headers: Record<string, string> = place.lastId === null ? {} : { 'last-event-id': place.lastId };
      const response = await fetch(url, { headers, signal });
      if (response.status !== 200) watch.problems.push(`${watch.name}: ${await response.text()}`);
      const decoder = new TextDecoder();
      for await (const chunk of response.body ?? [])
        parser.feed(decoder.decode(chunk as Uint8Array, { stream: true }));
    } catch {
      // The connection is lost, or the watch is over.
    }
    watch.resumed += 1;
    await pause(PACE_MS);
  }
}

/** Subscribes to a state over a WebSocket, again and again from the last version on. */
export async function followSocket(
  watch: Watch,
  base: string,
  stateId: string,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await new Promise<void>((resolve) => {
      const socket = new WebSocket(`${base.replace('http', 'ws')}/ws`);
      const end = () => socket.terminate();
      signal.addEventListener('abort', end, { once: true });
      socket.on('open', () => {
        const since = watch.heard.get(stateId) ?? 0;
        socket.send(JSON.stringify({ type: 'subscribe', state_id: stateId, since_version: since }));
      });
      socket.on('message', (message: Buffer) => {
        const body = JSON.parse(message.toString());
        const { type, state_id: id, version } = { ...body, ...body.data };
        if (body.type === 'workflow_state_updated') watch.hear(id, version);
        if (type === 'error') watch.problems.push(`${watch.name}: ${message.toString()}`);
      });
      socket.on('error', () => undefined);
      socket.on('close', () => {
        signal.removeEventListener('abort', end);
        resolve();
      });
    });
    watch.resumed += 1;
    await pause(PACE_MS);
  }
}

/** The client that users have: it comes back by itself. */
export async function followWithClient(
  watch: Watch,
  client: CountersignService,
  stateId: string,
  signal: AbortSignal,
): Promise<void> {
  for await (const item of watchWithClient(client, stateId, { since: 0, signal })) {
    if (!item.ok) watch.problems.push(`${watch.name}: ${item.failure.detail}`);
    else if (item.value.event === 'workflow_state_updated') watch.hear(stateId, item.value.data.version);
  }
}

/** Blocking reads, each for something newer than the last. */
export async function followReads(
  watch: Watch,
  base: string,
  stateId: string,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const after = watch.heard.get(stateId) ?? 0;
    const query = after === 0 ? '' : `?after_version=${String(after)}&wait=1s`;
    const body = await fetchJson(`${base}/workflow-states/${stateId}${query}`);
    if (body === null) await pause(PACE_MS);
    else if (body.timed_out !== true) watch.hear(stateId, body.version);
  }
}

/** Goes on through the history, page by page. */
export async function followHistory(
  watch: Watch,
  base: string,
  stateId: string,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const since = watch.heard.get(stateId) ?? 0;
    const body = await fetchJson(
      `${base}/workflow-states/${stateId}/events?since=${String(since)}&limit=200`,
    );
    for (const { version } of body?.events ?? []) watch.hear(stateId, version);
    if (body?.has_more !== true) await pause(PACE_MS);
  }
}

async function fetchJson(url: string): Promise<any> {
  try {
    const response = await fetch(url);
    const body = await response.json();
    return response.status === 200 ? body : null;
  } catch {
    return null;
  }
}
