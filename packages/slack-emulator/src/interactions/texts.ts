/** What people are told by whom they act through: Slack's client, which checks and refuses, and what it posts for them. */

export const FIELD = {
  required: 'Please complete this required field.',
  shortest: (least: number) => `This field must have at least ${least} characters.`,
  longest: (most: number) => `This field must have at most ${most} characters.`,
  email: 'Please enter a valid email address.',
  url: 'Please enter a valid URL.',
  number: 'Please enter a number.',
  wholeNumber: 'Please enter a whole number.',
  least: (least: number) => `Please enter at least ${least}.`,
  most: (most: number) => `Please enter at most ${most}.`,
} as const;

export const REFUSED = {
  noOption: (name: string, options: readonly string[]) =>
    `There is no option “${name}” here; there are: ${options.join(', ')}.`,
  noFeedbackButton: 'There is no such feedback button.',
  viewGone: 'That view is not open any more.',
  messageGone: 'That message does not exist any more.',
  threadGone: 'That thread does not exist any more.',
  elementGone: 'That is not there any more: the message or view has changed.',
  noPerson: (id: string) => `There is nobody here with the id ${id}.`,
  nobodyCalled: (name: string) => `There is nobody here called ${name}.`,
  notInChannel: 'You are not in that channel, or it does not exist.',
  notYours: 'That message does not exist any more, or is not yours.',
  noSnippet: 'What was uploaded stays as it is: only a snippet has another content.',
  noFile: 'That file does not exist any more, or is not yours.',
  nothingToSend: 'There is nothing to send.',
  nothingToSubmit: 'This view has nothing to submit.',
  noCommand: (command: string) => `${command} is not a valid command.`,
  appAway: 'The app is not connected; nothing was sent.',
  appLate: 'The app did not respond in time; try again.',
  appAnswered: (code: string, details: string) =>
    `We had some trouble connecting. (The app answered ${code}: ${details})`,
} as const;

export const POSTED = {
  appNotInChannel: (app: string, channel: string) =>
    `${app} is not in #${channel}. \`/invite @${app}\` lets it in; then write your message again.`,
  deleted: 'This message was deleted.',
  joined: (id: string) => `<@${id}> has joined the channel`,
} as const;
