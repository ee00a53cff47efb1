import type { ChatCompletionRequest } from '@copilotkit/aimock';
import { problemsOf } from './audit.ts';
import type { Dialogue } from './dialogue.ts';
import type { DialogueWorld } from './dialogue-world.ts';

const LEVEL_ERROR = 50;

/** What must hold after every dialogue; stops the app. Returns what does not hold, a sentence each. */
export async function brokenInvariants(world: DialogueWorld, dialogue: Dialogue): Promise<string[]> {
  const { app, model } = world;
  const unanswered = model.unanswered();
  // The app stops when its runs have come to rest, which they do not while the model thinks.
  model.giveUp();
  await app.driver.eventsDelivered();
  await app.stopApp();
  const broken: string[] = [];
  if (unanswered > 0) broken.push(`The model was asked ${unanswered} times more than the dialogue says.`);
  for (const message of app.driver.broadcasts())
    broken.push(`Everybody was called: ${app.driver.text(message)}`);
  broken.push(...model.requests().flatMap(unpairedCalls));

  const waiting = await app.notEnded();
  if (waiting.length > 0 && !dialogue['still waits']) {
    broken.push(
      `These have no end: ${waiting.map((call) => `${call.tool.name} is ${call.state}`).join(', ')}`,
    );
  }
  if (waiting.length === 0 && dialogue['still waits'])
    broken.push('Nothing waits, other than the dialogue says.');

  const wrong = await app.inStore((store) => problemsOf(store));
  broken.push(...wrong.map((problem) => `The audit is not whole: ${problem}`));

  // Stop ends a thread's streams in Slack, and the app may add to one until it has heard of that.
  const isStopped = dialogue.steps.some(({ words }) => words.endsWith('presses stop'));
  const refused = app.driver
    .calls()
    .filter(({ error }) => !(isStopped && error === 'message_not_in_streaming_state'))
    // Statuses are best effort, and whether one lasts long enough to be sent depends on the machine.
    .filter(({ method }) => !method.endsWith('.setStatus'))
    // Whom a call names by an address may be nobody of the workspace.
    .filter(({ error }) => error !== 'users_not_found')
    .flatMap(({ method, error }) => (error === null ? [] : [`${method} ${error}`]));
  broken.push(...differences('Slack refused', refused, dialogue['slack refuses']));
  const errors = app.logged.filter(({ level }) => level >= LEVEL_ERROR);
  const unexpected = errors.filter(({ msg }) => !dialogue['the log says'].includes(msg));
  broken.push(...unexpected.map((line) => `The log says: ${JSON.stringify(line)}`));
  const logged = JSON.stringify(app.logged);
  const secrets = [...(world.tasks?.authorization.secrets ?? []), ...(world.example?.tokens().keys() ?? [])];
  const told = secrets.filter((secret) => logged.includes(secret));
  broken.push(...told.map((secret) => `The log holds a secret: ${secret.slice(0, 6)}…`));
  const missing = dialogue['the log says'].filter((words) => !errors.some(({ msg }) => msg === words));
  broken.push(...missing.map((words) => `The log does not say: ${words}`));
  return broken;
}

/** Every `call_id` of an assistant message has exactly one tool message, and no tool message is alone. */
function unpairedCalls({ messages }: ChatCompletionRequest): string[] {
  const proposed = messages.flatMap((message) => message.tool_calls?.map(({ id }) => id) ?? []);
  const answered = messages.flatMap((message) =>
    message.role === 'tool' ? [message.tool_call_id ?? ''] : [],
  );
  return [...new Set([...proposed, ...answered])].flatMap((id) => {
    const [asks, answers] = [proposed, answered].map((ids) => ids.filter((it) => it === id).length);
    return asks === 1 && answers === 1
      ? []
      : [`The model heard ${asks} calls ${id} and ${answers} answers to it.`];
  });
}

function differences(what: string, found: readonly string[], expected: readonly string[]): string[] {
  const unexpected = found.filter((it) => !expected.includes(it));
  const missing = expected.filter((it) => !found.includes(it));
  return [...unexpected.map((it) => `${what}: ${it}`), ...missing.map((it) => `${what} nothing like: ${it}`)];
}
