import type { AuditEntry } from '../../../gate/types.ts';
import { visible } from '../../../presentation/text/visible.ts';
import { moreOfLimit } from '../../../runs/index.ts';
import { limitQuestionSchema } from '../../api/limits.ts';
import { STATES } from '../calls/texts.ts';
import { AUDIT } from './texts.ts';

const measureSchema = limitQuestionSchema.shape.measure;

/** What an entry of the audit says, in words that follow the name of whoever did it. */
export async function describeEntry(
  { what, details }: Pick<AuditEntry, 'what' | 'details'>,
  nameOf: (actorId: string) => Promise<string>,
): Promise<string> {
  if (what === 'limit_extended') return describeExtension(details, nameOf);
  const named = [details.tool, details.key, details.server, details.when].find(
    (it) => typeof it === 'string',
  );
  const did = find(AUDIT.decisions, what === 'decided' ? details.decision : null);
  const became = find(STATES, what === 'ended' ? details.state : null);
  const words = did ?? (became === null ? AUDIT.actions[what] : AUDIT.became(became));
  return typeof named === 'string' ? `${words}: ${visible(named)}` : words;
}

async function describeExtension(
  { kind, id, measure, amount }: AuditEntry['details'],
  nameOf: (actorId: string) => Promise<string>,
): Promise<string> {
  const whom = typeof id === 'string' ? visible(kind === 'person' ? await nameOf(id) : id) : '';
  if (amount === 0) return AUDIT.takenBack(whom);
  const measured = measureSchema.safeParse(measure);
  if (!measured.success || typeof amount !== 'number') return AUDIT.actions.limit_extended;
  return AUDIT.allowedMore(whom, moreOfLimit(measured.data, amount));
}

/** The words for a value that an entry has, if there are any: an entry is data, of any version. */
function find(words: Readonly<Record<string, string>>, value: unknown): string | null {
  return (typeof value === 'string' && Object.hasOwn(words, value) && words[value]) || null;
}
