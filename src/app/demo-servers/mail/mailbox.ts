import { ToolProblem } from '../../../lib/text/tool-answers.ts';
import type { findCaller } from '../caller.ts';
import { findMailPerson, type MailPerson } from './people.ts';
import type { PostOffice } from './post-office.ts';

/** What the tools of the mailboxes are made of. */
export interface MailPorts {
  /** Loads the mailboxes. @throws ToolProblem when their file can't be used. */
  readonly open: () => Promise<PostOffice>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** The id of the person that a call is for. */
  readonly findCaller: typeof findCaller;
}

/** Whose mailbox a call is about. @throws ToolProblem where nobody says for whom it is. */
export function findMailbox(
  ports: Pick<MailPorts, 'findCaller'>,
  context: Parameters<typeof findCaller>[0],
): MailPerson {
  const caller = ports.findCaller(context);
  if (caller === null) throw new ToolProblem('a mailbox is a person’s, and this call is for nobody');
  return findMailPerson(caller);
}
