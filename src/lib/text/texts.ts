/** What a tool answers where the runtime gave up on what it got, completing "… Nothing was read." */
export const NO_SENSE = 'this tool can make no sense of what it was given, or of what it read';
