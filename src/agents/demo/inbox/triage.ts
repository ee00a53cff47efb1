import { z } from 'zod';
import { toLine } from '../../../lib/text/model-answer.ts';
import { isForeign } from '../wording.ts';
import { applyRules, type Verdict } from './rules.ts';
import { TRIAGE } from './texts.ts';

const mailSchema = z.object({
  background: z.string().default(''),
  rules: z.array(z.string()).default([]),
  preferences: z.array(z.string()).default([]),
  mail: z.object({
    from: z.string(),
    subject: z.string(),
    text: z.string(),
    automatic: z.string().nullable().default(null),
    warnings: z.array(z.string()).default([]),
  }),
});
type Matter = z.output<typeof mailSchema>;

interface Judged {
  readonly verdict: Verdict;
  readonly reason: string;
}

/** Of a text that speaks to whoever reads it in a person's place. */
const COMMANDS_MODELS =
  /\b(?:system|assistant|ai|model)(?: message| prompt| note)?(?: to the assistant)?\s*:|\b(?:ignore|disregard|forget)\b[^.\n]{0,40}\b(?:instructions?|rules?|prompts?)\b|\b(?:the )?(?:user|owner) has (?:already )?approved\b|\byou are now (?:in|an?)\b/i;
const ASKS =
  /\?|\b(?:can|could|would|will) you\b|\bplease (?:send|tell|confirm|let me know|reply|answer|call)\b|\blet me know\b/i;
/** What a mail server says of a mail that it couldn't deliver. */
const DAEMON = /\b(?:mailer-daemon|postmaster)@/i;
/** How much of a rule a reason names, in characters. */
const LONGEST_RULE = 60;
const NEEDS_NONE = /\bno (?:need|reason) to (?:reply|answer|respond)\b|\bfor your information\b|\bFYI\b/i;

/** The answer of a model that sorts mails, as JSON; null for a question that isn't about one. */
export function demoTriage(question: unknown): string | null {
  const read = mailSchema.safeParse(question);
  return read.success ? JSON.stringify(judge(read.data)) : null;
}

function judge(matter: Matter): Judged {
  const { mail, rules, preferences, background } = matter;
  // What a mail says of how it's to be dealt with comes before the rules: nobody wants that answered unseen.
  if (COMMANDS_MODELS.test(`${mail.subject}\n${mail.text}`))
    return { verdict: 'notify', reason: TRIAGE.commands };
  const [warning] = mail.warnings;
  if (warning !== undefined) return { verdict: 'notify', reason: TRIAGE.warning(warning) };
  const { ruling, unfollowed } = applyRules([...rules, ...preferences], background, mail);
  const usual = judgeByItself(mail);
  if (ruling !== null) {
    const reason = TRIAGE.rule(ruling.line.trim());
    if ('verdict' in ruling) return { verdict: ruling.verdict, reason };
    return ruling.not === usual.verdict ? { verdict: 'notify', reason } : usual;
  }
  const [line] = unfollowed;
  if (line === undefined) return usual;
  const unsaid = TRIAGE.unfollowed(toLine(line, LONGEST_RULE), unfollowed.length);
  return { ...usual, reason: `${usual.reason} ${unsaid}` };
}

/** As its person would have it without rules, as far as a script can tell. */
function judgeByItself(mail: Matter['mail']): Judged {
  const words = `${mail.subject}\n${mail.text}`;
  if (mail.automatic === 'newsletter') return { verdict: 'ignore', reason: TRIAGE.newsletter };
  if (DAEMON.test(mail.from)) return { verdict: 'notify', reason: TRIAGE.bounce };
  if (mail.automatic === 'auto_reply') return { verdict: 'ignore', reason: TRIAGE.autoReply };
  if (mail.automatic !== null) return { verdict: 'notify', reason: TRIAGE.automatic };
  if (NEEDS_NONE.test(words)) return { verdict: 'notify', reason: TRIAGE.needsNone };
  if (isForeign(mail.text)) return { verdict: 'respond', reason: TRIAGE.foreign };
  if (ASKS.test(words)) return { verdict: 'respond', reason: TRIAGE.asks };
  return { verdict: 'notify', reason: TRIAGE.tells };
}
