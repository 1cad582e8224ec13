// The demonstration from its header to its closing line.
import { createClient } from '../client/index.js';
import { CHILDREN } from './cast.js';
import { deviationsOf } from './check.js';
import { granted } from './fault.js';
import { headerOf, type Setting } from './header.js';
import { reportOf } from './report.js';
import { playStory, registerSchema } from './story.js';
import { painted, type Paper } from './text.js';

export interface DemoSetting extends Setting {
  readonly paper: Paper;
  readonly write: (text: string) => void;
  /** Ends it before its time. */
  readonly signal: AbortSignal;
}

/**
 * Shows the story.
 *
 * @returns True where everything went as told.
 * @throws DemoFault Where it cannot go on. The reason of the signal, or an `AbortError`, where that ended it.
 */
export async function showDemo(setting: DemoSetting): Promise<boolean> {
  const { paper, write, signal } = setting;
  const service = createClient({ url: setting.url, signal });
  write(headerOf(setting, paper));
  await registerSchema(service);
  const snapshot = await playStory({ ...setting, service, repository: setting.repository.path });
  write(reportOf(snapshot, paper));
  const deviations = deviationsOf(snapshot, granted(await service.operations.doctor()));
  write(`\n${deviations.length === 0 ? painted(CLOSING, 'green', paper) : wentWrong(deviations, paper)}\n`);
  return deviations.length === 0;
}

const CLOSING = `Everything went as told: ${CHILDREN.length} children, ${CHILDREN.length} callbacks, each once, and none before its result was in the state or given up.`;

function wentWrong(deviations: readonly string[], paper: Paper): string {
  const lines = deviations.map((one) => `  - ${one}`);
  return [painted('This did not go as told:', 'red', paper), ...lines].join('\n');
}
