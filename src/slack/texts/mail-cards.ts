/** The texts of cards by which a mail is answered. Names come in as they are to be shown. */

/** In place of the usual buttons' words. */
export const MAIL_BUTTON = {
  viewToApprove: 'View everything to accept',
  approve: 'Accept',
  ignore: 'Ignore',
  feedback: 'Respond',
  also: 'Accept, and also…',
} as const;

/** Of a full view of several pages. */
export const ACCEPT_IS_LAST = '; Accept is on the last one';

/** In place of the usual words for who decided. */
export const MAIL_DECIDED = {
  approved: 'Accepted',
  approvedWithChanges: 'Accepted with changes',
} as const;

/** In place of the usual words for who can decide, and of the usual notification. */
export const MAIL_APPROVERS = {
  canApprove: 'can accept',
  mustApprove: 'must accept',
  approve: (who: string, action: string) => `${who}: accept ${action}?`,
} as const;

/** The mail that is answered, and what to know of the answer. */
export const ANSWERED_MAIL = {
  heading: 'The mail, as it came:',
  from: (who: string) => `From ${who}`,
  folded: ' … All of it is under ⋯ → View everything.',
  foldedInList: ' … All of it is under View everything.',
  unchecked: 'Whom this goes to couldn’t be compared with the conversation. Look at the addresses.',
  uncheckedHere: 'Whether whom this goes to is of the conversation isn’t shown here. Look at the addresses.',
  moreMarks: (count: number) => `And ${count} more, under ⋯ → View everything.`,
} as const;

/** The mail that a question of the agent is about. */
export const ASKED_MAIL = (subject: string, from: string) =>
  `About ${subject === '' ? 'a mail without a subject' : subject}, from ${from}`;

/** What became of the meeting, or the reply, that was drafted together with this one. */
export const BESIDE = {
  moved: {
    differs: (when: string) =>
      `The meeting beside this was changed to ${when}, and the reply names another time. Does it still fit?`,
    unclear: (when: string) => `The meeting beside this was changed to ${when}. Does the reply still fit?`,
  },
  changed: 'The meeting beside this was changed. Does the reply still fit?',
  sentBack: 'The meeting beside this was sent back, so its time may change. Does the reply still fit?',
  inDoubt: 'Whether the meeting beside this was added is unclear. Does the reply still fit?',
  notAdded: 'The meeting beside this isn’t added. Does the reply still fit?',
  failed: 'The meeting beside this failed, so it isn’t in the calendar. Does the reply still fit?',
  replyEdited: {
    differs: 'The reply beside this was changed, and names another time. Does the meeting still fit?',
    unclear: 'The reply beside this was changed. Does the meeting still fit?',
  },
} as const;

/** What a draft can't know. */
export const NEWER_MAIL = (from: string) =>
  `A newer mail of this conversation came from ${from}, which this draft doesn’t know.`;

/** To who would accept a draft that such a mail came since, and wasn't shown that. */
export const NEWER_UNSHOWN = (from: string) =>
  `${NEWER_MAIL(from)} It came after this was shown to you, so nothing was accepted yet. If it still fits, accept it once more.`;

/** In place of what was read about a call with somebody's own account, such as the mail that it answers. */
export const WITHHELD = (name: string) =>
  `What this is about was read with ${name}’s own account, so nobody else is shown it. ${name} sees it under ⋯ → View everything.`;

/** The form to respond to a draft. */
export const RESPOND = {
  title: (tool: string) => `Respond: ${tool}`,
  submit: 'Ask for a new draft',
  label: 'What should be different?',
  hint: 'Nothing is sent. The agent drafts it anew with what you say.',
} as const;

/** The form to accept a draft and ask for more. */
export const MAIL_ALSO = {
  title: (tool: string) => `Accept: ${tool}`,
  submit: 'Accept',
} as const;

/** The form to change a draft. */
export const MAIL_EDIT = {
  submit: 'Accept with changes',
  answers: (subject: string, from: string) =>
    `Answers ${subject === '' ? 'a mail without a subject' : subject}, from ${from}`,
  fixed: 'Too long to change here; stays as it is. To change it, choose Respond on the card.',
  newerTitle: 'A newer mail came',
  submitAgain: 'Accept all the same',
  newerMeanwhile:
    '⚠️ It came while this form was open, so nothing was accepted yet. “Accept all the same” has it as it stands here.',
} as const;
