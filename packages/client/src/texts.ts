/** The texts of errors, and what stands for values that people can't be shown. */

export const GATE = {
  notApproved: 'The gate did not approve it.',
  argumentsChanged: 'Its arguments changed while it waited.',
  late: (origin: string, seconds: number) => `The gate at ${origin} did not answer within ${seconds} s.`,
  away: (origin: string) => `The gate at ${origin} is not reachable.`,
  answered: (origin: string, status: number, words: string) =>
    `The gate at ${origin} answered ${status}: ${words}`,
  notUnderstood: 'That is no answer that this client understands.',
  tooManyReports: (most: number) => `${most} reports wait for the gate; one more was dropped.`,
  reportsLost: (count: number) => `The process ends; ${count} reports did not reach the gate.`,
} as const;

export const TOOL = {
  mayNotRun: (tool: string, reason: string) => `${tool} may not run: ${reason}`,
  functionWithoutName: 'A tracked function needs a name.',
  withoutName: 'A tool without a name: give the tools by name, as in { name: tool }.',
} as const;

/** Why a receipt isn't accepted, by its code. */
export const RECEIPT_PROBLEMS = {
  missing: 'The call has no receipt: nobody has approved it.',
  malformed: 'The receipt can’t be read.',
  wrong_type: 'This is signed, and is no receipt.',
  unknown_key: 'The receipt is signed with a key that isn’t published.',
  no_keys:
    'The keys that receipts are signed with can’t be read now. This says nothing about the receipt: try again later.',
  bad_signature: 'The signature of the receipt is wrong.',
  wrong_issuer: 'The receipt is of another Countersign.',
  wrong_audience: 'The receipt is for another server.',
  not_valid_yet: 'The receipt is from the future.',
  expired: 'The receipt has expired.',
  wrong_tool: 'The receipt is for another tool.',
  wrong_arguments: 'The receipt is for other arguments.',
  used: 'The receipt was used before.',
  too_many: 'Too many receipts are remembered to tell whether this one was used before.',
} as const;

/** What people read of arguments and results that JSON has no form for. */
export const SUMMARY = {
  cut: (characters: number) => `… (cut: ${characters} more characters)`,
  circular: '[circular]',
  notShown: (why: string) => `[not shown: ${why}]`,
  unreadable: 'it cannot be read',
  function: (name: string) => `[function ${name || 'without a name'}]`,
} as const;
