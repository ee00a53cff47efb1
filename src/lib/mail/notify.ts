/**
 * The key of `_meta` by which a mailbox's server is asked, with true, to tell of new mails, and with false no longer. It's no
 * argument, so that no model and no program of others can say so: only the inbox does.
 */
export const NOTIFY_META = 'countersign/notify';
