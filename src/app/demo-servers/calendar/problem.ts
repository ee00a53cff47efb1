/** An error that the caller can fix; the message is a sentence without a full stop. */
export class CalendarProblem extends Error {}
