/** What is loaded once somebody needs the mailboxes: as one, so that a start has fewer files to read. */

export { handleMailPage } from './page.ts';
export { openPostOffice } from './post-office.ts';
export { createMailServer } from './server.ts';
