// One WebSocket: its caller and its subscriptions.
import { internalFailure } from '../replies/problem.js';
import type { WebSocket } from 'ws';
import { callerOf, type Actor } from '../../domain/access/actor.js';
import { RecordDamagedError } from '../../domain/damage/damage.js';
import { ok, invalidMember, fail, type Result, type Failure } from '../../domain/errors.js';
import type { SocketSubscribe } from '../../ports/api/index.js';
import { storageFailure } from '../../ports/storage/storage.js';
import type { Credentials } from '../../ports/host.js';
import type { WatchedCaller } from '../caller-watch.js';
import type { ServerContext } from '../server-context.js';
import { CLOSING_SHARE, PIECE_BYTES, piecesOf } from '../replies/send-stream.js';
import { openSubscription, type SubscribedStream } from './open-subscription.js';
import { errorText, eventStart } from '../replies/socket-event.js';
import type { ReadMessage, SocketMessage } from './socket-messages.js';
import { Subscriptions } from './subscriptions.js';

export const CLOSE = { stopping: 1001, refused: 1008, tooSlow: 1013 } as const;

export class SocketConnection {
  readonly #subscriptions = new Subscriptions();
  #actor: Actor | null;
  #watched: WatchedCaller | null = null;
  /** Resolves when all earlier messages are sent, or the connection is closed. */
  #sent: Promise<void> = Promise.resolve();
  #received: Promise<void> = Promise.resolve();
  #answers = true;
  /** Ends the wait for the send in progress. */
  #giveUp: (() => void) | null = null;

  constructor(
    private readonly server: ServerContext,
    private readonly socket: WebSocket,
    private readonly readMessage: ReadMessage,
    private readonly requestId: string,
    actor: Actor | null,
    /** The credentials of the opening request. */
    credentials: Credentials,
    /** Acquires a permit among the identified connections; called once, when the caller identifies itself. */
    private readonly acquirePermit: (actor: Actor) => Result<null>,
  ) {
    this.#actor = actor;
    if (actor !== null) this.#watch(credentials, actor);
    // Not delayed by unsent output: an unidentified client cannot keep its permit by not reading.
    const login = setTimeout(
      () => this.close(CLOSE.refused, 'No token was shown.'),
      server.limits.socketAuthMs,
    );
    if (actor !== null) clearTimeout(login);
    socket.on('message', (data, isBinary) => {
      const text = isBinary || !Buffer.isBuffer(data) ? null : data.toString('utf8');
      // Handles messages one after the other, and reads no further ones meanwhile.
      socket.pause();
      this.#received = this.#received.then(async () => {
        await this.#receive(text);
        if (this.#actor !== null) clearTimeout(login);
        socket.resume();
      });
    });
    socket.on('pong', () => (this.#answers = true));
    // `ws` has sent a close frame, such as 1009, and reads on. A reset with unread data would cost the caller that frame.
    socket.on('error', () => {
      this.#subscriptions.endAll();
      this.#terminateAfter(server.limits.socketAuthMs);
    });
    socket.on('close', () => {
      clearTimeout(login);
      this.#watched?.stop();
      this.#subscriptions.endAll();
    });
  }

  /** Sends a ping; terminates the connection if the last ping had no reply. */
  ping(): void {
    if (!this.#answers) {
      this.socket.terminate();
      return;
    }
    this.#answers = false;
    this.socket.ping();
  }

  close(code: number, reason: string, lateMs = this.server.limits.socketAuthMs): void {
    this.socket.close(code, reason);
    this.#terminateAfter(lateMs);
  }

  /** Bounds how long the caller takes for its part of the close. */
  #terminateAfter(ms: number): void {
    const late = setTimeout(() => this.socket.terminate(), ms).unref();
    this.socket.once('close', () => clearTimeout(late));
  }

  #watch(credentials: Credentials, actor: Actor): void {
    this.#watched?.stop();
    const watched = this.server.callers.watch(credentials, actor);
    this.#watched = watched;
    const expel = () => {
      this.#subscriptions.endAll();
      if (watched.failure !== null) this.#refuse(watched.failure, null);
      this.#shut('The caller is no longer authorized.');
    };
    watched.signal.addEventListener('abort', expel, { once: true });
  }

  /** Closes the connection after the messages queued before. */
  #shut(reason: string): void {
    this.#sent = this.#sent.then(() => this.close(CLOSE.refused, reason));
  }

  /** @param text - `null` for a binary message. */
  async #receive(text: string | null): Promise<void> {
    const { message, subscription } = this.readMessage(text);
    if (!message.ok) {
      this.#refuse(message.failure, subscription);
      return;
    }
    try {
      await this.#execute(message.value);
    } catch (error) {
      this.#refuse(this.#failureOf(error), subscription);
    }
  }

  #failureOf(error: unknown): Failure {
    if (error instanceof RecordDamagedError) return this.server.host.damagedRecord(error.damage).failure;
    this.server.logger.error({ request_id: this.requestId, err: error }, 'a message failed');
    return storageFailure(error) ?? internalFailure().failure;
  }

  async #execute(message: SocketMessage): Promise<void> {
    if (message.type === 'authenticate') return this.#authenticate(message.token);
    const actor = this.#actor;
    if (actor === null) {
      this.#refuse(
        fail('unauthorized', 'Show a token first: {"type": "authenticate", "token": …}').failure,
        null,
      );
      this.#shut('The first message has to be authenticate.');
      return;
    }
    if (message.type === 'unsubscribe') {
      this.#unsubscribe(message.subscription);
      return;
    }
    if (((await this.#watched?.look()) ?? null) === null) await this.#subscribe(actor, message);
  }

  /** Only before the first subscription, because subscriptions are authorized for their caller. */
  async #authenticate(token: string): Promise<void> {
    if (this.#subscriptions.size > 0) {
      const { failure } = invalidMember(
        '/type',
        'comes before anything is subscribed to',
        'subscribe, unsubscribe',
      );
      this.#refuse(failure, null);
      return;
    }
    const credentials = { bearer: token, sessionId: null, sessionName: null };
    const actor = await this.server.host.identify(credentials);
    if (!actor.ok) {
      this.#refuse(actor.failure, null);
      this.#shut('The token is not known.');
      return;
    }
    const permit = this.#actor === null ? this.acquirePermit(actor.value) : ok(null);
    if (!permit.ok) {
      this.#refuse(permit.failure, null);
      this.#shut('Too many connections are open.');
      return;
    }
    this.#actor = actor.value;
    this.#watch(credentials, actor.value);
    void this.#send('{"type":"authenticated"}');
  }

  #unsubscribe(subscription: string): void {
    if (!this.#subscriptions.has(subscription)) {
      const { failure } = invalidMember('/subscription', 'is not open here', this.#subscriptions.names);
      this.#refuse(failure, subscription);
      return;
    }
    this.#subscriptions.end(subscription);
    void this.#send(JSON.stringify({ type: 'unsubscribed', subscription }));
  }

  async #subscribe(actor: Actor, message: SocketSubscribe): Promise<void> {
    const name = message.subscription ?? this.#subscriptions.newName();
    const { subscriptionsPerSocketMax: maximum } = this.server.limits;
    if (this.#subscriptions.has(name)) {
      this.#refuse(invalidMember('/subscription', 'is open already', 'another name').failure, name);
      return;
    }
    if (this.#subscriptions.size >= maximum) {
      const limit = { limit: 'subscriptionsPerSocketMax', maximum, actual: maximum + 1 };
      this.#refuse(
        fail('limit_exceeded', 'This connection has too many subscriptions.', limit).failure,
        name,
      );
      return;
    }
    const stop = this.#subscriptions.begin(name);
    const opening = openSubscription(this.server.host.as(actor), actor, message, stop.signal);
    const stream = await opening.catch(
      (error: unknown) => ({ ok: false, failure: this.#failureOf(error) }) as const,
    );
    if (!stream.ok) {
      this.#subscriptions.ended(name, stop);
      this.#refuse(stream.failure, name);
      return;
    }
    void this.#send(JSON.stringify({ type: 'subscribed', subscription: name }));
    void this.#pump(name, stop, stream.value, callerOf(actor));
  }

  /** Sends a stream at the pace of its reader. */
  async #pump(name: string, stop: AbortController, stream: SubscribedStream, caller: string): Promise<void> {
    const { streamSlices: slices, eventBytes, streamBuffers } = this.server;
    const start = eventStart(name);
    try {
      for await (const events of stream) {
        for (const event of events) {
          const pause = slices.yieldIfDue();
          if (pause !== undefined) await pause;
          if (stop.signal.aborted) return;
          const rest = eventBytes.ofMessage(event);
          const release = streamBuffers.hold(rest, caller, () =>
            this.#dropSlowReader('Too much unsent data for this reader.'),
          );
          await this.#sendBytes(start, rest);
          release();
        }
      }
    } catch (error) {
      this.server.logger.error({ request_id: this.requestId, err: error }, 'a subscription failed');
      this.#refuse(internalFailure().failure, name);
    } finally {
      this.#subscriptions.ended(name, stop);
    }
  }

  #refuse(failure: Failure, subscription: string | null): void {
    void this.#send(errorText(failure, this.requestId, subscription));
  }

  /** Sends messages in order, each after the previous one was sent. Never rejects. */
  #send(text: string): Promise<void> {
    this.#sent = this.#sent.then(() => this.#sendFrame(text, true));
    return this.#sent;
  }

  /** Like `#send`, for a message whose main part other connections share; a large part is not copied. */
  #sendBytes(start: Buffer, rest: Buffer): Promise<void> {
    this.#sent = this.#sent.then(async () => {
      if (rest.length <= PIECE_BYTES) {
        await this.#sendFrame(Buffer.concat([start, rest]), true);
        return;
      }
      await this.#sendFrame(start, false);
      let bytesLeft = rest.length;
      for await (const piece of piecesOf(rest, this.server)) {
        bytesLeft -= piece.length;
        await this.#sendFrame(piece, bytesLeft === 0);
        if (this.socket.readyState !== this.socket.OPEN) return;
      }
    });
    return this.#sent;
  }

  /** @param fin - False if more of the same message follows (RFC 6455, section 5.4). */
  #sendFrame(data: string | Uint8Array, fin: boolean): Promise<void> {
    return new Promise((resolve) => {
      if (this.socket.readyState !== this.socket.OPEN) {
        resolve();
        return;
      }
      const end = () => {
        clearTimeout(timer);
        this.#giveUp = null;
        resolve();
      };
      const timer = setTimeout(
        () => this.#dropSlowReader('The reader does not read.'),
        this.server.limits.streamStallMs,
      );
      this.#giveUp = end;
      this.socket.send(data, { binary: false, fin }, end);
    });
  }

  /** Drops a reader that is too slow: sends a close frame and closes, even if the reader does not read it. */
  #dropSlowReader(reason: string): void {
    const { limits, streamBuffers } = this.server;
    if (this.socket.readyState === this.socket.OPEN) streamBuffers.countDropped();
    this.close(CLOSE.tooSlow, reason, limits.streamStallMs / CLOSING_SHARE);
    this.#subscriptions.endAll();
    this.#giveUp?.();
  }
}
