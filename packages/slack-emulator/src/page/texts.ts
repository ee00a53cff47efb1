/** The texts of the page, but for what the app, and whoever starts the workspace, write. */

export const CONNECTION = {
  opening: 'Opening the workspace…',
  connecting: 'Connecting…',
  live: 'Live',
  lost: 'Connection lost. Trying again…',
  isLost: 'The connection to this workspace is lost.',
  whileLost: 'What you write stays in its box: send it once the connection is back.',
  appIsLost: (app: string) => `${app} is not connected.`,
  whileAppIsLost: 'It gets what you send once it is back.',
  noAnswer: (then: string) => `No answer: the connection to the workspace is lost. ${then}`,
  lookAgain: 'Look again once it is back.',
  kept: 'What you wrote stays in its box: send it again once the connection is back.',
  refused: (status: number) => `The local workspace answered ${status}.`,
} as const;

export const SHELL = {
  tabTitle: (title: string, unread: number) =>
    `${unread > 0 ? `(${unread}) ` : ''}${title} · local workspace`,
  standIn: 'Stand-in for Slack',
  isStandIn: 'This is a local stand-in for Slack.',
  nothingReachesSlack: 'Nothing here reaches Slack. Connect your own workspace…',
  whoYouAre: 'Who you are',
  youAre: 'You are',
  actAs: (person: string) => `Act as ${person}`,
  places: 'Channels and direct messages',
  apps: 'Apps',
  channels: 'Channels',
  links: 'Pages',
  unread: ' unread',
  closeNote: 'Close this note',
  dismiss: 'Dismiss',
  close: 'Close',
  cancel: 'Cancel',
  yes: 'Yes',
} as const;

export const ABOUT = {
  label: 'About this workspace',
  title: 'A local stand-in for Slack',
  what: (about: string) =>
    `${about} The workspace answers with the events and the rules that Slack has; nothing written here reaches Slack. Switch between the people at the top to see what the others see.`,
  connect: 'Connect your Slack workspace',
  createApp: 'Create an app at',
  createAppAt: 'api.slack.com/apps',
  fromManifest: (app: string) => `from the app manifest of ${app}, and install it in your workspace.`,
  tokens: 'Put its two tokens into the environment:',
  start: (app: string) => `Start ${app} again and mention it in a channel.`,
} as const;

export const CONVERSATION = {
  allChannels: 'All channels',
  messages: 'Messages',
  home: 'Home',
  noHome: (app: string) => `${app} has not shown a Home yet.`,
  lastReply: (time: string) => `last at ${time}`,
  replies: (count: number) => (count === 1 ? '1 reply' : `${count} replies`),
  today: 'Today',
  yesterday: 'Yesterday',
  /** Within a text. */
  nearDays: { yesterday: 'yesterday', today: 'today', tomorrow: 'tomorrow' },
  onlyYou: 'Only visible to you',
  app: 'App',
  edited: '(edited)',
  replyInThread: 'Reply in thread',
  reactions: 'Reactions',
  stop: 'Stop',
  thread: 'Thread',
  closeThread: 'Close thread',
  closeThreadByKey: 'Close (Esc)',
  fileDeleted: 'This file was deleted.',
  deleteFile: (file: string) => `Delete ${file}`,
  deleteFileAsks: (file: string) => `Delete ${file} from the workspace?`,
  fileSize: {
    bytes: (count: number) => `${count} bytes`,
    kilobytes: (count: string) => `${count} kB`,
    megabytes: (count: string) => `${count} MB`,
  },
} as const;

export const COMPOSER = {
  message: (whom: string) => `Message ${whom}`,
  reply: 'Reply…',
  suggestions: 'Suggestions',
  mention: (app: string) => `@ Mention ${app}`,
  enter: 'Enter',
  sends: ' sends · ',
  shift: 'Shift',
  newLine: ' new line',
  send: 'Send',
  attach: 'Attach files',
  attached: 'Attached files',
  detach: (file: string) => `Take ${file} away`,
  noCommandsInThreads: 'Slack takes commands in channels only, not in threads.',
} as const;

export const WELCOME = {
  direct: (person: string, app: string) => `Hello ${person}, this is ${app}`,
  nothing: 'Nothing here yet',
  mention: (app: string) => `Mention ${app} to talk to it.`,
  examples: 'Try one of these:',
} as const;

export const BLOCK = {
  unknown: (type: string) =>
    `A block of type “${type}” stands here, which the local workspace does not show.`,
  unknownElement: (type: string) => `“${type}” is not shown in the local workspace.`,
  details: 'Details',
  image: (what: string) => `Image: ${what}`,
  done: 'Done',
  notDone: 'Not done',
  moreActions: 'More actions',
  choose: 'Choose…',
  table: 'Table',
  task: { pending: 'waiting', in_progress: 'in progress', complete: 'done', error: 'failed' },
} as const;

/** What is wrong with a field of a form. */
export const FIELD = {
  empty: 'Please fill in this field.',
  mostChosen: (most: number) => `Please choose at most ${most}.`,
  shortest: (least: number) => `Please write at least ${least} characters.`,
  longest: (most: number) => `Please write at most ${most} characters.`,
  email: 'Please enter an email address, such as ana@example.com.',
  url: 'Please enter a web address that begins with https:// or http://.',
  number: 'Please enter a number.',
  wholeNumber: 'Please enter a whole number.',
  least: (least: number) => `Please enter a number of at least ${least}.`,
  most: (most: number) => `Please enter a number of at most ${most}.`,
} as const;
