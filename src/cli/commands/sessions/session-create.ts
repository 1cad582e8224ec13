// `countersign session create`: creates a session without a run, such as one that no runner executes.
import type { SessionCreate, SessionCreated } from '../../../ports/api/index.js';
import { clientCommand } from '../../client-command.js';
import { choiceFlag, durationFlag, switchFlag, textFlag } from '../../flag.js';
import type { Output } from '../../text/output.js';
import { record } from '../../text/table.js';
import { given } from '../page.js';
import { reference } from './reference.js';
import { sessionText } from './session-text.js';
import { termFlags, termsOf } from './session-terms.js';
import { statePromptFlags, statePromptsOf } from './state-prompt-flags.js';

export const create = clientCommand({
  usage: 'create',
  summary: 'create a session without starting it, such as an external one',
  flags: {
    name: textFlag('--name <name>', 'name of the session (default: its id)'),
    id: textFlag('--id <id>', 'id of the session, ses_… (default: one is given)'),
    external: switchFlag('--external', 'no runner runs it: it reports for itself, and nobody resumes it'),
    agent: textFlag('--agent <name>', 'name of the agent'),
    parent: textFlag('--parent <session>', 'parent, id or name'),
    projectDir: textFlag('--project-dir <dir>', 'where it works'),
    delivery: choiceFlag('--delivery <how>', 'how this session gets callbacks of its own children', [
      'resume',
      'pull',
      'webhook',
    ]),
    callbackUrl: textFlag('--callback-url <url>', 'where they are sent, with --delivery webhook'),
    callbackSecret: textFlag(
      '--callback-secret <secret>',
      'what they are signed with, whsec_… (default: one is made)',
      { env: true },
    ),
    heartbeatTimeout: durationFlag(
      '--heartbeat-timeout <time>',
      'with --external: after so long without a sign of life it is lost, such as 30m; 0s for never',
    ),
    ...termFlags,
    ...statePromptFlags,
  },
  examples: [
    'countersign session create --external --name release --delivery pull',
    'countersign session create --external --name ci --delivery webhook --callback-url https://ci.example/callbacks',
    'countersign session create --external --name by-hand --parent release --callback --write-scope /notes',
  ],
  notes:
    'One that is not external waits for its first work: countersign session resume NAME --prompt "…".\nAn external one gets its callbacks by countersign callback pull NAME, or at its --callback-url.',
  run: async ({ flags, client, io, out }) => {
    const body: SessionCreate = {
      ...reference('parent_session', flags.parent),
      ...given({
        session_id: flags.id,
        session_name: flags.name,
        agent_name: flags.agent,
        project_dir: flags.projectDir,
        delivery: flags.delivery,
        callback_url: flags.callbackUrl,
        callback_secret: flags.callbackSecret,
        external: flags.external ? true : undefined,
        heartbeat_timeout_ms: flags.heartbeatTimeout,
      }),
      ...statePromptsOf(flags),
      ...(await termsOf(flags, io)),
    };
    return out.show(await client.sessions.create(body), (session) => createdText(out, session));
  },
});

function createdText(out: Output, session: SessionCreated): string {
  const { callback_secret: secret } = session;
  if (secret !== undefined) out.note('The secret is shown this once.');
  return sessionText(out, session) + record(out.style, [['callback secret', secret]]);
}
