// An agent of the workflow demonstration, as the runner starts it. It reads its prompt and answers; the prompt says how
// often it has been asked.
import { text } from 'node:stream/consumers';
import { ANSWERS, isAgentName } from './agents.js';

const name = process.env['COUNTERSIGN_AGENT_NAME'];
const prompt = await text(process.stdin);

if (isAgentName(name)) {
  const answers = ANSWERS[name];
  const asked = Number(/\[asked (\d+)\]/.exec(prompt)?.[1] ?? 1);
  process.stdout.write(`${answers[Math.min(asked, answers.length) - 1] ?? ''}\n`);
} else {
  process.stderr.write(`There is no agent ${name ?? '(COUNTERSIGN_AGENT_NAME is not set)'}.\n`);
  process.exitCode = 1;
}
