/** Something that the caller can put right; the message is a sentence without a full stop. */
export class CalendarProblem extends Error {}
