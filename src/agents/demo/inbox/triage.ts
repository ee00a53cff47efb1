import { z } from 'zod';
import { isForeign } from '../wording.ts';
import { TRIAGE } from './texts.ts';

const mailSchema = z.object({
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

interface Verdict {
  readonly verdict: 'ignore' | 'notify' | 'respond';
  readonly reason: string;
}

/** Of a text that speaks to whoever reads it in a person's place. */
const COMMANDS_MODELS =
  /\b(?:system|assistant|ai|model)(?: message| prompt| note)?(?: to the assistant)?\s*:|\b(?:ignore|disregard|forget)\b[^.\n]{0,40}\b(?:instructions?|rules?|prompts?)\b|\b(?:the )?(?:user|owner) has (?:already )?approved\b|\byou are now (?:in|an?)\b/i;
const ASKS =
  /\?|\b(?:can|could|would|will) you\b|\bplease (?:send|tell|confirm|let me know|reply|answer|call)\b|\blet me know\b/i;
/** What a mail server says of a mail that it couldn't deliver. */
const DAEMON = /\b(?:mailer-daemon|postmaster)@/i;
const NEEDS_NONE = /\bno (?:need|reason) to (?:reply|answer|respond)\b|\bfor your information\b|\bFYI\b/i;

/** A rule in plain words: what happens, and words by which a mail is told. */
const RULE =
  /^(ignore|notify|respond|answer|never answer|don['’]t answer)\b[^:]*?(?:from|about|with|to)\s+["“]?([^"”]+?)["”]?\.?$/i;

/** The answer of a model that sorts mails, as JSON; null for a question that isn't about one. */
export function demoTriage(question: unknown): string | null {
  const read = mailSchema.safeParse(question);
  return read.success ? JSON.stringify(judge(read.data)) : null;
}

function judge(matter: Matter): Verdict {
  const { mail } = matter;
  const words = `${mail.subject}\n${mail.text}`;
  // What a mail says of how it's to be dealt with comes before the rules: nobody wants that answered unseen.
  if (COMMANDS_MODELS.test(words)) return { verdict: 'notify', reason: TRIAGE.commands };
  const [warning] = mail.warnings;
  if (warning !== undefined) return { verdict: 'notify', reason: TRIAGE.warning(warning) };
  const ruled = byRule(matter);
  if (ruled !== null) return ruled;
  if (mail.automatic === 'newsletter') return { verdict: 'ignore', reason: TRIAGE.newsletter };
  if (DAEMON.test(mail.from)) return { verdict: 'notify', reason: TRIAGE.bounce };
  if (mail.automatic === 'auto_reply') return { verdict: 'ignore', reason: TRIAGE.autoReply };
  if (mail.automatic !== null) return { verdict: 'notify', reason: TRIAGE.automatic };
  if (NEEDS_NONE.test(words)) return { verdict: 'notify', reason: TRIAGE.needsNone };
  if (isForeign(mail.text)) return { verdict: 'respond', reason: TRIAGE.foreign };
  if (ASKS.test(words)) return { verdict: 'respond', reason: TRIAGE.asks };
  return { verdict: 'notify', reason: TRIAGE.tells };
}

function byRule({ rules, preferences, mail }: Matter): Verdict | null {
  const words = `${mail.from}\n${mail.subject}`.toLowerCase();
  for (const rule of [...rules, ...preferences]) {
    const [, what = '', about = ''] = RULE.exec(rule.trim()) ?? [];
    if (about === '' || !words.includes(about.toLowerCase())) continue;
    const verdict = /^(?:respond|answer)/i.test(what)
      ? 'respond'
      : /^ignore/i.test(what)
        ? 'ignore'
        : 'notify';
    return { verdict, reason: TRIAGE.rule(rule.trim()) };
  }
  return null;
}
