// Hook calls over HTTP. They ask for the hook's result itself (`form=verdict`), not for the agent CLI's
// output format.
import * as api from '../../ports/api/index.js';
import type { HookService } from '../../ports/hook-service.js';
import type { Transport } from '../transport/transport.js';

function listed(texts: readonly string[] = []): string | undefined {
  return texts.length === 0 ? undefined : texts.join(',');
}

export function hookCalls({ send }: Transport): HookService {
  return {
    answer: (
      client,
      input,
      {
        session,
        refusalsMax,
        waitMs = 0,
        agents,
        url,
        invocation,
        wake,
        heard,
        awaited,
        within,
        signal,
      } = {},
    ) => {
      const query = {
        form: 'verdict',
        session,
        refusals_max: refusalsMax,
        wake,
        heard,
        awaited,
        agents: listed(agents),
        url,
        invocation,
        within: listed(within),
      };
      const path = ['hooks', client];
      const call = { method: 'POST', path, body: input, signal, safe: true } as const;
      if (waitMs <= 0) return send(api.HookVerdictView, { ...call, query });
      const waiting = (ms: number) => ({ query: { ...query, wait: `${String(Math.ceil(ms))}ms` } });
      return send(api.HookVerdictView, { ...call, ...waiting(waitMs), waiting, waitMs });
    },
  };
}
