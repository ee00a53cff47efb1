/** Why nobody is signed in. */
export const SIGN_IN = {
  refused: (code: string) =>
    `Slack didn't confirm the sign-in (${code}). Nothing was done. Open the link again.`,
  invalid: "Slack's answer isn't for this sign-in. Nothing was done. Open the link again.",
  differs: 'Slack named two different people. Nothing was done.',
  unreachable: "Slack couldn't be reached to check who you are. Nothing was done. Try again in a moment.",
} as const;
