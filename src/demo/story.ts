// Plays the story against a running coordinator, and watches it until nothing is under way any more.
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CountersignService, JsonValue } from '../client/index.js';
import { CHILDREN, ROOT, SCHEMA_NAME } from './cast.js';
import { DemoFault, granted } from './fault.js';
import { momentsOf } from './moments.js';
import { isOver, takeSnapshot, type Snapshot } from './snapshot.js';
import type { Paper } from './text.js';
import { Timeline } from './timeline.js';

export interface StoryOptions {
  readonly service: CountersignService;
  /** Work tree of the repository under review. */
  readonly repository: string;
  readonly paper: Paper;
  readonly write: (text: string) => void;
  readonly signal: AbortSignal;
}

const POLL_MS = 100;
const STORY_MS_MAX = 120_000;
/** A commit can be seen so much later than the time it carries. */
const LATENESS_MS = 200;
const SCHEMA = new URL('../../schemas/code-review.json', import.meta.url);

/** Registers the schema that ships with the product. */
export async function registerSchema(service: CountersignService): Promise<void> {
  const schema = JSON.parse(await readFile(SCHEMA, 'utf8')) as JsonValue;
  granted(
    await service.schemas.register({
      name: SCHEMA_NAME,
      json_schema: schema,
      description: 'A repository, reviewed by a tree of sessions.',
    }),
  );
}

/**
 * Starts the root and shows what happens.
 *
 * @returns How everything stands at the end.
 * @throws DemoFault Where it does not come to an end in time.
 */
export async function playStory(options: StoryOptions): Promise<Snapshot> {
  const { service, signal } = options;
  const startedAt = now();
  const timeline = new Timeline({ ...options, startedAt, children: CHILDREN.length });
  granted(
    await service.runs.create({
      type: 'start_session',
      session_name: ROOT,
      agent_name: ROOT,
      project_dir: options.repository,
      prompt: 'Have this repository reviewed by your five children, and sum up what they record.',
    }),
  );
  for (;;) {
    const lookedAt = now();
    const snapshot = await takeSnapshot(service);
    const over = isOver(snapshot);
    timeline.show(momentsOf(snapshot), over ? Infinity : lookedAt - LATENESS_MS);
    if (over) return snapshot;
    if (lookedAt - startedAt > STORY_MS_MAX) {
      throw new DemoFault(`The story did not come to an end within ${STORY_MS_MAX / 1000} seconds.`);
    }
    await sleep(POLL_MS, undefined, { signal });
  }
}

/** The same clock as the service's, which runs in this process. */
function now(): number {
  return performance.timeOrigin + performance.now();
}
