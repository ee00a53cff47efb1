/** What the local workspace's page says. */
export const WORKSPACE_PAGE = {
  title: 'Countersign',
  welcome:
    'Write what you need. Countersign reads and plans freely; whatever would change something waits as a card in the thread until the right person has signed for it.',
  examples: [
    'create a meeting called Standup tomorrow at 9am',
    'what is on my calendar this week?',
    'create 2 events: Team Meeting at 10am and Lunch with Bob at 12pm',
    'what does the travel policy say about hotels?',
  ],
  examplesIn: {
    lab: [
      'simulate 500 mg twice a day for a 70 kg person',
      'simulate 250 mg every 8 hours for 5 days in 2,000 people',
    ],
    team: [
      'what is in the travel policy, and what is on my calendar this week?',
      'find the budget in the documents, add it up in Python, then put a meeting about it into the calendar tomorrow at 10:00',
      'take the budget and the Q3 sales from the documents, compare them in Python, and book a meeting about them tomorrow at 2pm',
    ],
  },
  about:
    "No Slack tokens are set, so Countersign runs against this workspace on your own machine. Whoever asks for something signs for it: other people's clicks decide nothing of yours.",
};

/** What can be tried where its people have mailboxes. */
export const MAILBOX_EXAMPLE = '/countersign inbox on';

/** Where the page leads to the mailboxes of the workspace's people. */
export const MAILBOXES_LINK = { label: 'Mailboxes', href: '/mail' } as const;
