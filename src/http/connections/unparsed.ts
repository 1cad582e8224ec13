// Answers what Node passes instead of a request: input that its parser rejected, and CONNECT. Each gets a
// problem document like any other failure, and the connection is closed.
import type { Duplex } from 'node:stream';
import { fail, type Failure } from '../../domain/errors.js';
import type { ServerContext } from '../server-context.js';
import type { CountRequest } from '../metrics.js';
import { refuseOnSocket } from '../replies/refuse-on-socket.js';

export interface Unparsed {
  /** Answers input that could not be parsed, if the connection is still writable. */
  failed(error: NodeJS.ErrnoException & { readonly rawPacket?: Buffer }, socket: Duplex): void;
  /** Ends a connection whose request could not be handled at all: a bug. */
  broke(error: unknown, socket: Duplex): void;
  /** Answers a CONNECT request. */
  connect(socket: Duplex): void;
}

/** The start of a request line whose method is a token (RFC 9110, section 9.1). */
const REQUEST_LINE = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+) [^ \r\n]+ HTTP\/1\.[01]\r?\n/;

/** @param count - Counts the answers as those without a route. */
export function createUnparsed(server: ServerContext, count: CountRequest): Unparsed {
  function answer(socket: Duplex, failure: Failure): void {
    const requestId = server.requestIds.of(null);
    const status = refuseOnSocket(socket, failure, requestId);
    count(status, 0);
    server.logger.debug({ request_id: requestId, status, error: failure.error }, 'request');
  }

  return {
    failed(error, socket) {
      if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
      else answer(socket, failureOf(error));
    },
    broke(error, socket) {
      server.logger.error({ err: error }, 'a request could not be handled');
      socket.destroy();
    },
    connect: (socket) => answer(socket, unknownMethod('CONNECT')),
  };
}

function failureOf({
  code = '',
  rawPacket,
}: NodeJS.ErrnoException & { readonly rawPacket?: Buffer }): Failure {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return fail('headers_too_large', 'Shorten the URL or the headers; a long value belongs in a body')
        .failure;
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return fail('request_timeout', 'The request was not whole in time').failure;
    case 'HPE_INVALID_METHOD': {
      const method = REQUEST_LINE.exec(rawPacket?.subarray(0, 1000).toString('latin1') ?? '')?.[1];
      return method === undefined ? notHttp(code) : unknownMethod(method);
    }
    default:
      return notHttp(code);
  }
}

function notHttp(code: string): Failure {
  const reason = code === '' ? {} : { reason: code };
  return fail('malformed_request', 'The request line or a header cannot be read', reason).failure;
}

function unknownMethod(method: string): Failure {
  return fail('method_unknown', `No path takes ${method}`, { method }).failure;
}
