// Following something page by page, at the reader's own pace: nothing is read before it is asked for, so that a slow
// reader costs a place and no memory. Looks after it has begun to listen, so that no commit falls between.
import { damagedRefusal, RecordDamagedError } from '../../domain/damage/damage.js';
import { refused, accepted, type Outcome } from '../../domain/errors.js';
import type { JsonObject } from '../../domain/json/json.js';
import type { StreamEvent } from '../../ports/api/index.js';
import type { EventStream } from '../../ports/service.js';
import type { Caller, ServiceContext } from '../context.js';
import type { Topic } from '../scheduling/notifier.js';
import type { StreamPage } from './stream-pages.js';
import { bookmark, dropped } from './stream-views.js';

/** Something that can be followed; `P` is a place in it. */
export interface Source<P> {
  readonly topic: Topic;
  readonly start: P;
  /** Comes first; a bookmark where there is nothing else to begin with. */
  readonly first: StreamEvent | null;
  readonly idOf: (place: P) => string;
  readonly read: (place: P) => Promise<Outcome<StreamPage<P>>>;
}

const NEVER = new AbortController().signal;

/** @returns The stream; or `overloaded` where too many are open. */
export function follow<P>(
  { context, actor }: Caller,
  source: Source<P>,
  signal: AbortSignal = NEVER,
): Outcome<EventStream> {
  if (context.closing.aborted) return refused('overloaded', 'The service is stopping.');
  const place = context.openStreams.take(actor);
  return place.ok ? accepted(pages(context, source, signal, place.value)) : place;
}

/** A stream that meets a damaged record ends by saying so. */
async function readOf<P>(source: Source<P>, place: P): Promise<Outcome<StreamPage<P>>> {
  try {
    return await source.read(place);
  } catch (error) {
    if (error instanceof RecordDamagedError) return damagedRefusal(error.damage);
    throw error;
  }
}

async function* pages<P>(
  context: ServiceContext,
  source: Source<P>,
  signal: AbortSignal,
  release: () => void,
): AsyncGenerator<readonly StreamEvent[]> {
  const { notifier, limits, clock, closing } = context;
  const until = clock.now() + limits.streamMsMax;
  let place = source.start;
  const id = () => source.idOf(place);
  const isOver = () => signal.aborted;
  try {
    yield [source.first ?? bookmark(id())];
    while (!isOver()) {
      const news = notifier.listen([source.topic], limits.streamBookmarkMs, signal);
      let idle = false;
      try {
        const page = await readOf(source, place);
        if (!page.ok) {
          const { error, detail, members } = page.refusal;
          yield [dropped(id(), 'refused', { ...(members as JsonObject), error, detail })];
          return;
        }
        place = page.value.next;
        if (page.value.events.length > 0) yield page.value.events;
        else if (closing.aborted) {
          yield [dropped(id(), 'stopping')];
          return;
        } else if (clock.now() >= until) {
          yield [dropped(id(), 'expired')];
          return;
        } else idle = !(await news.woken);
      } finally {
        news.cancel();
      }
      if (idle && !isOver() && !closing.aborted) yield [bookmark(id())];
    }
  } finally {
    release();
  }
}
