/** The texts of `countersign forget`. */

import type { BroughtDocuments } from '../commands/forget-documents.ts';

/** The answer to a missing or impossible ID, since an ID in another form would find nothing. */
export function forgetUsage(person: string | undefined): string {
  const why = person === undefined ? 'no ID is given' : `"${person}" is not an ID`;
  return `Nothing was deleted: ${why}.\nUsage: countersign forget --person ID [--yes]\nID is actor.id in \`countersign audit export\`: slack:T012AB3CD:U012AB3CD (team and user), or api:NAME of a key. Without --yes it only says what it would delete.`;
}

export const FORGET_DRY_RUN =
  'Nothing was deleted. Run it again with --yes to delete this, but for threads in which something waits, runs or is in doubt.';
export const FORGET_KEEPS_TODAY =
  'What they used today stays counted, so that limits hold: it goes within eight days, or run this again tomorrow.';
export const FORGET_STAYS =
  'This stays: the audit, with names, ids and digests, as it could not be verified otherwise; what the person decided on other people’s calls; documents that others brought, even with the same content, and those of folders, as they are not the person’s; what answers in other people’s conversations quote of the person’s documents; Slack’s own messages and files; backups. End the access at the servers themselves, too.';

interface Forgotten {
  readonly brought: BroughtDocuments;
  readonly threads: number;
  readonly messages: number;
  readonly calls: number;
  readonly servers: readonly string[];
  readonly grants: number;
  readonly delegations: number;
  /** Counts of what they used on earlier days. */
  readonly usage: number;
  /** How much is remembered of them. */
  readonly remembered: number;
  /** Their schedules and reminders. */
  readonly schedules: number;
  /** Their mailboxes that are watched, or were. */
  readonly inbox: { readonly mailboxes: number; readonly mails: number; readonly preferences: number };
  /** The programs that they let in. */
  readonly programs: readonly string[];
}

export function forgetSummary(person: string, found: Forgotten): string {
  const {
    brought,
    threads,
    messages,
    calls,
    servers,
    programs,
    grants,
    delegations,
    usage,
    remembered,
    schedules,
    inbox,
  } = found;
  const accounts = servers.length === 0 ? 'none' : servers.join(', ');
  const letIn = programs.length === 0 ? 'none' : programs.join(', ');
  return `Of ${person}: ${messages} messages and ${calls} calls with their results in ${threads} threads, what the agent remembers of those; ${brought.documents} documents that they brought, to direct messages, channels and everybody, with ${brought.passages} passages, the copies of their files (${megabytes(brought.bytes)} MB) and ${brought.files} records of what came in; tokens for: ${accounts}; programs that act as them: ${letIn}; ${grants} remembered approvals; ${delegations} delegations; ${usage} counts of what they used on earlier days; ${remembered} things that they said of themselves; ${schedules} schedules and reminders; ${inbox.mailboxes} mailboxes with what was noted of ${inbox.mails} mails, and ${inbox.preferences} things learned of how they answer.`;
}

export function openThreads(ids: readonly string[]): string {
  return `Left as they are, because something in them waits, runs or is in doubt: ${ids.join(', ')}. Settle or cancel that, and run this again.`;
}

function megabytes(bytes: number): string {
  return (bytes / 1_048_576).toFixed(1);
}
