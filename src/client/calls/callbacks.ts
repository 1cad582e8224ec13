// Callback calls over HTTP.
import * as api from '../../ports/api/index.js';
import type { CallbackService } from '../../ports/service.js';
import { get, post } from '../transport/call.js';
import type { Transport } from '../transport/transport.js';

const Callbacks = api.PageOf(api.CallbackView);

export function callbackCalls({ send }: Transport): CallbackService {
  return {
    list: (query) => send(Callbacks, { ...get('callbacks'), query }),
    acknowledge: (callbackId) => send(api.CallbackView, post('callbacks', callbackId, 'ack')),
    redeliver: (callbackId, body) =>
      send(api.CallbackView, { ...post('callbacks', callbackId, 'redeliver'), body }),
  };
}
