import { parseAddresses } from './addresses.ts';

/** What kind of mail a program has sent, to many or by itself. */
type AutomaticKind = 'newsletter' | 'notification' | 'auto_reply' | 'bounce';

/** The value of a header by its name in any case; empty if there's none. */
type HeaderOf = (name: string) => string;

const DAEMONS = /^(?:mailer-daemon|postmaster)@/;
const NOBODY =
  /^(?:[\w.-]*[._-])?(?:no-?reply|do-?not-?reply|not-?reply|notifications?|alerts?|mailer|bounces?)(?:[+._-][^@]*)?@/;

/**
 * Which kind of automatic mail it is by its headers; null for what people write. Senders can leave all of these out, and put them
 * into what they write themselves, so it's a hint.
 *
 * A discussion by way of a list is people's: what a group such as `support@` hands on has all headers of a list, and `List-Post` with an
 * address to write to, where an announcement has none or `NO` (RFC 2369, 3.4).
 *
 * @see https://www.rfc-editor.org/rfc/rfc3834#section-5 Auto-Submitted
 * @see https://www.rfc-editor.org/rfc/rfc6522 multipart/report
 * @see https://learn.microsoft.com/openspecs/exchange_server_protocols/ms-oxcmail X-Auto-Response-Suppress
 */
export function automaticKind(header: HeaderOf): AutomaticKind | null {
  const read = (name: string) => header(name).trim().toLowerCase();
  const submitted = read('Auto-Submitted').replace(/[;\s].*$/s, '');
  const precedence = read('Precedence');
  const [sender] = parseAddresses(header('From'));
  const report = /^multipart\/report\b/.test(read('Content-Type'));

  // A receipt says that somebody has read it: RFC 8098.
  if (report && read('Content-Type').includes('disposition-notification')) return 'auto_reply';
  if (report) return 'bounce';
  if (submitted === 'auto-replied' || precedence === 'auto_reply') return 'auto_reply';
  if (read('X-Autoreply') !== '' || read('X-Autorespond') !== '') return 'auto_reply';
  // Nothing can be sent to an empty path: RFC 5321, 4.5.5.
  if (read('Return-Path') === '<>' || DAEMONS.test(sender?.address ?? '')) return 'bounce';

  const isDiscussion = read('List-Post').includes('mailto:');
  const isListed = ['List-Id', 'List-Unsubscribe', 'List-Help'].some((name) => read(name) !== '');
  if (!isDiscussion && (isListed || precedence === 'list')) return 'newsletter';
  if (precedence === 'bulk' || precedence === 'junk') return 'newsletter';

  if (submitted !== '' && submitted !== 'no') return 'notification';
  if (read('X-Auto-Response-Suppress') !== '' && !isDiscussion) return 'notification';
  return NOBODY.test(sender?.address ?? '') ? 'notification' : null;
}
