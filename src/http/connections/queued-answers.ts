// Answers that wait behind another one of their connection. Of a connection that ends, Node closes only the answer that is being
// written. These are closed here, so that nothing goes on for a client that is gone.
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export class QueuedAnswers {
  readonly #ofSocket = new WeakMap<Socket, Set<ServerResponse>>();

  add(socket: Socket, answer: ServerResponse): void {
    const queued = this.#ofSocket.get(socket) ?? this.#watch(socket);
    queued.add(answer);
    answer.once('close', () => queued.delete(answer));
  }

  #watch(socket: Socket): Set<ServerResponse> {
    const queued = new Set<ServerResponse>();
    this.#ofSocket.set(socket, queued);
    socket.once('close', () => {
      for (const answer of queued) {
        // One with a socket is being written.
        if (answer.socket !== null) continue;
        answer.destroy();
        answer.emit('close');
      }
    });
    return queued;
  }
}
