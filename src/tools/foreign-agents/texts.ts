/** The texts of agents of the team that are other programs, for people and models. */

/** `name`: the agent's. What is unclear is the first half of a sentence. */
export const FOREIGN_AGENT = {
  /** Without a colon, which titles of tools don't have. */
  title: (name: string, host: string, port: string) =>
    `Ask ${name} at ${host}${port === '' ? '' : `, port ${port}`}`,
  gone: (name: string) => `There is no agent ${name} at another program any more. Nothing was done.`,
  down: (name: string) => `The agent ${name} can’t be reached. Nothing was done.`,
  stoppedBefore: (name: string) => `The agent ${name} was stopped before it had its task. Nothing was done.`,
  notSent: (name: string, why: string) => `The agent ${name} did not get its task: ${why}`,
  refused: (name: string, status: number) =>
    `The agent ${name} refused its task (HTTP ${status}). Nothing was done.`,
  notJson: (name: string) =>
    `The agent ${name} answered, but not with an AgentOutput: it must be a JSON object.`,
  misshapen: (name: string, problem: string) =>
    `The agent ${name} answered, but not with an AgentOutput: ${problem}.`,
  tooLong: (name: string) => `The agent ${name} answered, but with more than can be kept of it.`,
  /** Ends what was cut. */
  cut: '… (cut)',
  status: (name: string, status: number) => `The agent ${name} answered with HTTP ${status}`,
  silent: (name: string, ms: number) =>
    `The agent ${name} did not answer within ${ms < 1_000 ? `${ms} ms` : `${Math.round(ms / 1_000)} s`}`,
  redirected: (name: string) => `The agent ${name} answered with the address of something else`,
  stopped: (name: string) => `The agent ${name} was stopped`,
  lost: (name: string) => `The connection to the agent ${name} was lost`,
  noCard: (status: number | null) =>
    `its agent card can’t be read${status === null || status < 400 ? '' : ` (HTTP ${status})`}.`,
  elsewhere: (origin: string) =>
    `its agent card names no place at ${origin} where it takes tasks by JSON-RPC or HTTP.`,
  declined: (name: string, why: string | null) =>
    `The agent ${name} refused its task${quoted(why)}. Nothing was done.`,
  failed: (name: string, why: string | null) => `The agent ${name} failed at its task${quoted(why)}.`,
  rejected: (name: string, why: string | null) => `The agent ${name} did not take its task${quoted(why)}.`,
  gaveUp: (name: string, why: string | null) => `The agent ${name} cancelled its task${quoted(why)}.`,
  asks: (name: string, what: string | null) =>
    `The agent ${name} asks back before it goes on${quoted(what)}. It can’t be answered, so its task was ended.`,
  cancelled: (name: string) => `The agent ${name} was stopped, and says that it has cancelled its task.`,
  empty: (name: string) => `The agent ${name} says that it is done, and answered with nothing.`,
  noState: (name: string) => `The agent ${name} does not say how far it is`,
  taskLost: (name: string) => `The agent ${name} no longer says how far it is`,
  erred: (name: string) => `The agent ${name} met with an error`,
  notA2a: (name: string) => `The agent ${name} answered, but not as A2A says`,
  unclear: (what: string) =>
    `${what.replace(/\.$/, '')} after it had been given its task. What it did is not known.`,
} as const;

/** `said`: what an agent says itself. */
function quoted(said: string | null): string {
  return said === null ? '' : `: “${said}”`;
}

/** What the fields of a task mean, for models, and what they're called on cards. */
export const TASK_FIELDS = {
  task: { title: 'Task', description: 'What is to be done, in words.' },
  agentId: { title: 'Name in the plan', description: 'The name of the task in its plan.' },
  entities: {
    title: 'What it is about',
    description: 'What the task is about: dates, people, measures, documents.',
  },
  outputs: {
    title: 'What other tasks brought',
    description: 'What the tasks brought that this one needs, by their names.',
  },
} as const;
