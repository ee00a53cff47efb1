/** The agents' texts for people; texts for models are in the prompts. */

import { formatDuration } from '../lib/duration.ts';

/** The answer when a run was stopped after too many steps. */
export function tooManySteps(maxSteps: number): string {
  return `I got stuck after ${maxSteps} steps and stopped. What already ran stays done, and nothing else will run. Try a smaller request.`;
}

export const IGNORED = "OK. I didn't run what you ignored, and I stopped there.";
export const NO_ANSWER = 'I have no answer to that.';
export const DONE = 'Done.';
export const THINKING = 'thinking…';
export const MODEL_BUSY = 'the model is busy, waiting…';
export const SHORTENING = 'the conversation is too long for the model, leaving out older parts…';

/** What is wrong with the plan of a team; for its model and, where it never gets it right, for people. */
export const TEAM_PLAN = {
  twice: (id: string) => `Two tasks are called “${id}”.`,
  alike: (id: string) => `Two tasks are called “${id}”, but for capitals.`,
  disguised: (ids: string) =>
    `The names of the tasks have letters that aren’t seen, or look like others: ${ids}. Use plain letters and digits.`,
  more: (count: number) => `And there are more problems: ${count}.`,
  noAgent: (id: string, agent: string, nearest: readonly string[]) =>
    `Task “${id}”: there is no agent called “${agent}”. The nearest: ${nearest.join(', ')}.`,
  noTask: (id: string, other: string) => `Task “${id}” depends on “${other}”, which is no task of the plan.`,
  cycle: (ids: readonly string[]) =>
    `The tasks wait for each other, so none of them could begin: ${[...ids, ...ids.slice(0, 1)].join(' needs ')}.`,
} as const;

/** How the work on a mail ends. Names and addresses come in as they are to be shown. */
export const INBOX = {
  noMail:
    'I don’t know which mail this is about any more: its mailbox isn’t there any more. Nothing was sent.',
  notYours: (owner: string) => `Only ${owner} can go on with this mail here: it came to their mailbox.`,
  noServer: (server: string, isDown: boolean) =>
    isDown
      ? `The mail couldn’t be read, as ${server} is down. Nothing was sent.`
      : `The mail couldn’t be read, as ${server} has no tool for that here. Nothing was sent.`,
  notRead:
    'The mail couldn’t be read, so I drafted nothing. Nothing was sent. Write to me here to have me try again.',
  done: {
    reply: (to: string) => `Sent the reply to ${to}.`,
    meeting: (title: string) => `Added ${title} to the calendar.`,
  },
  unclear: {
    reply: (to: string) => `It’s unclear whether the reply to ${to} was sent.`,
    meeting: (title: string) => `It’s unclear whether ${title} was added to the calendar.`,
  },
  withoutMeeting: (title: string) =>
    `${title} isn’t in the calendar: if the reply speaks of it, they have to be told.`,
  nothingSent: 'Nothing was sent.',
  marked: 'The mail is marked as read.',
  earlierMarked: (count: number) =>
    count === 1
      ? 'I’m marking the earlier one of its conversation as read, too.'
      : `I’m marking the ${count} earlier ones of its conversation as read, too.`,
  earlierStay: (count: number) =>
    count === 1
      ? 'The earlier one of its conversation stays unread and in your list.'
      : `The ${count} earlier ones of its conversation stay unread and in your list.`,
  markedUnclear: 'It’s unclear whether the mail was marked as read.',
  notMarked: 'The mail couldn’t be marked as read.',
  tooLate: 'Nobody decided in time, so the mail stays unread.',
  staysUnread: 'The mail stays unread.',
} as const;

/** What a team is doing, while it works. */
export const TEAM_STATUS = { composing: 'writing the answer…' } as const;

/** What somebody called a document, or a part of it, which is no link, and defines none. */
function withoutLinks(name: string): string {
  return name.replace(/\](?=[(:[])/g, '] ');
}

/** What somebody called a document, or a part of it, as a link to it; as words alone without an address. */
export function linked(words: string, url: string | null = null): string {
  const shown = withoutLinks(words);
  return url === null ? shown : `[${shown}](${toTarget(url)})`;
}

/** An address that ends where its link does. */
function toTarget(url: string): string {
  return url.replace(
    /[\s()<>|\\]/g,
    (sign) =>
      `%${Buffer.from(sign)
        .toString('hex')
        .replace(/(..)(?=.)/g, '$1%')}`,
  );
}

/** The list of what an answer cites. */
export const SOURCES = {
  title: '**Sources**',
  line: (
    number: number,
    {
      agent,
      source,
      place,
      url,
    }: { agent: string; source: string; place?: string | undefined; url?: string | undefined },
  ) => {
    const name = linked(source, url);
    const where = withoutLinks(sourcePlace({ agent, source, place }) ?? '');
    const by = hasWords(source, agent) ? '' : ` (${agent})`;
    return `${number}. ${[name, where].filter(Boolean).join(', ')}${by}`;
  },
} as const;

/** Where something in a source is; null where the source's name, or its agent's, says so already. */
export function sourcePlace({
  agent,
  source,
  place,
}: {
  agent: string;
  source: string;
  place?: string | undefined;
}): string | null {
  const isSaid = place === undefined || hasWords(source, place) || hasWords(agent, place);
  return isSaid ? null : place;
}

/** Whether a text has these words in a row, whatever their case and what joins them. */
function hasWords(text: string, words: string): boolean {
  const plain = (one: string) => ` ${(one.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).join(' ')} `;
  return plain(text).includes(plain(words));
}

/** Why an agent that is another program brought nothing. */
export const DELEGATE = {
  noTask: (name: string) => `The task of the agent ${name} is not on record any more. Nothing was done.`,
  noTool: (name: string, tool: string, isDown: boolean) =>
    isDown
      ? `The agent ${name} can't be given its task, because the server of ${tool} is down. Nothing was done.`
      : `The agent ${name} can't be given its task, because there is no tool ${tool}. Nothing was done; an admin has to check it in countersign.yaml.`,
  misshapen: (name: string, problem: string) =>
    `The agent ${name} answered, but not with an AgentOutput: ${problem}.`,
  withheld: (name: string, owner: string) =>
    `The agent ${name} was not given its task: what it needs is for ${owner} alone, from their own account or too long to be shown, and in a channel that is neither shown on a card nor given to another program. Nothing was done. ${owner} can ask again in a direct message to me, or after sharing their results in this thread with /countersign share.`,
  notGiven: 'The agent was not given its task.',
  besides: (wanted: string, task: string) =>
    `${wanted}\n\nThis comes besides what you have done already, which is not to be done again: “${task}”`,
} as const;

/** An agent of a team had no more time. */
export function agentTimedOut(name: string, timeoutMs: number): string {
  return `The agent ${name} did not finish within ${formatDuration(timeoutMs)}, and was stopped.`;
}

/** What a call does, while it runs. */
export const STEP = {
  yours: (server: string) => `your ${server}`,
  reading: (what: string) => `reading ${what}`,
  searching: (what: string) => `searching ${what}`,
  checking: (what: string) => `checking ${what}`,
  other: (title: string, server: string) => `${title} in ${server}`,
} as const;

/** The line under an answer that isn't whole; alone where there is no text. */
export const ANSWER_ENDED = {
  length:
    'The answer ends here because it reached the model’s length limit. It is not complete; ask for the rest.',
  content_filter:
    'The content filter of the model’s provider stopped the answer, so it is not complete. Say it in other words.',
  incomplete: 'The model’s answer broke off, so it is not complete. Write again to retry.',
} as const;

/** The model's own words when it refuses. */
export function declined(words: string): string {
  return `The model declined: ${words}`;
}

/** The count of actions that succeeded, where the model itself gives no answer. */
export function countDone({ done, all }: { readonly done: number; readonly all: number }): string {
  return `${done} of ${all} actions were done; the others were not.`;
}

/** The answer when a run's calls never had valid arguments; `problems` has one line for each. */
export function argumentsNeverFitted(problems: readonly string[]): string {
  return `I tried three times and could not get the arguments right:\n${problems.join('\n')}\nTell me what to use instead, and I'll try again.`;
}

/** Why a call was not run whose answer wasn't whole; for people, where the model never got it right. */
export const CUT_OFF = 'the answer with this call was cut off before it was complete';

/** Why a model call failed, and that the request wasn't finished. */
export const MODEL_FAILED = {
  rateLimited:
    'The model is at its rate limit, also after several retries. Your request was not finished; write again in a minute.',
  quota:
    "The quota or credit at the model's provider is used up. Your request was not finished; an admin has to check the billing there.",
  tooLong:
    'This conversation is too long for the model, also without its older parts. Your request was not finished; start a new conversation, or ask for less at once. If that does not help, an admin has to set agent.context_tokens to what the model takes.',
  noRoom:
    'The tools and instructions leave no room for a conversation in what the model may be sent. Your request was not finished; an admin has to raise agent.context_tokens, or to shorten agent.instructions.',
  filtered:
    "The content filter of the model's provider stopped the request. Your request was not finished; say it in other words.",
  empty: 'The model sent an empty answer. Your request was not finished; write again to retry.',
  noCompletion:
    'What answered instead of the model sent a page or something else that is no answer. Your request was not finished; an admin has to check OPENAI_BASE_URL.',
  auth: 'The model did not accept our key. Your request was not finished; an admin has to check OPENAI_API_KEY.',
  unknown:
    'The configured model does not exist at its provider. Your request was not finished; an admin has to check MODEL.',
  timeout: 'The model did not answer in time. Your request was not finished; write again to retry.',
  other: 'The model could not be reached or failed. Your request was not finished; write again to retry.',
  refused: (status: number) =>
    `The model's provider refused the request (HTTP ${status}). Your request was not finished; an admin finds the reason in the log.`,
  provider: (status: number) =>
    `The model's provider failed (HTTP ${status}). Your request was not finished; write again to retry.`,
  unreachable: (why: string) =>
    `The model cannot be reached (${why}). Your request was not finished; write again to retry. If that doesn't help, an admin has to check OPENAI_BASE_URL and the network.`,
} as const;

/** Why a model is unreachable. */
export const UNREACHABLE = {
  refused: 'connection refused',
  noHost: 'no such host',
  noDns: 'its name cannot be looked up now',
  host: 'host unreachable',
  network: 'network unreachable',
  reset: 'it hung up',
  timeout: 'it does not answer',
  certificateExpired: 'its certificate has expired',
  certificateUntrusted: 'its certificate is signed by nobody trusted here',
} as const;
