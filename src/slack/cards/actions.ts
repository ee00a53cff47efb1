/** Every `action_id` that our cards, modals and Home send back. */
export const ACTIONS = {
  approve: 'call.approve',
  edit: 'call.edit',
  reject: 'call.reject',
  more: 'call.more',
  view: 'call.view',
  happened: 'call.happened',
  notHappened: 'call.not_happened',
  sendAgain: 'call.send_again',
  approveAll: 'request.approve_all',
  rejectAll: 'request.reject_all',
  showAll: 'request.show_all',
  requestPage: 'request.page',
  viewPage: 'view.page',
  answer: 'question.answer',
  openForm: 'elicitation.open',
  declineForm: 'elicitation.decline',
  connectLink: 'connect.link',
  connectOpen: 'connect.open',
  connectRetry: 'connect.retry',
  useAsFeedback: 'pending.use_as_feedback',
  useAsAnswer: 'pending.use_as_answer',
  withdrawPending: 'pending.withdraw',
  homePage: 'home.page',
} as const;

/** Every `callback_id` of our modals. */
export const MODALS = {
  reject: 'call.reject',
  feedback: 'call.feedback',
  rejectAll: 'request.reject_all',
  edit: 'call.edit',
  view: 'call.view',
  calls: 'request.calls',
  answer: 'question.answer',
  form: 'elicitation.form',
  connect: 'connect',
} as const;
