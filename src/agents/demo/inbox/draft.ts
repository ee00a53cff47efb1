import type { JsonObject } from '../../../lib/json.ts';
import { findSpokenTimes, type Moment } from '../../../lib/text/spoken-times.ts';
import { type Mail, type Owner, readPeople } from './mail.ts';
import { sayWhen } from './meeting.ts';
import { DRAFT } from './texts.ts';
import { isForAll, readWishes, type Wish } from './wishes.ts';

/** A draft, and what of somebody's words the script left out of it. */
interface Worded {
  readonly args: JsonObject;
  readonly unfollowed: readonly string[];
}

/** The arguments of a reply with these sentences, as its owner words replies: to its sender, and to those in copy. */
export function draftReply(mail: Mail, owner: Owner, sentences: readonly string[]): Worded {
  const [sender] = readPeople(mail.from);
  const copied = readPeople(mail.cc).map(({ address }) => address);
  const greeting = `${[DRAFT.hello, firstName(sender?.name ?? '')].filter((part) => part !== '').join(' ')},`;
  const plain = [greeting, toText(sentences), `${DRAFT.best}\n${firstName(owner.name)}`.trim()].join('\n\n');
  const clauses = owner.replies.flatMap(readWishes);
  // The first that says something of the sign-off counts, so it's applied last.
  const kept = clauses.filter(isForAll).toReversed();
  const body = kept.reduce((text, { wish }) => (wish && reword(text, wish, null)) ?? text, plain);
  const args = {
    message_id: mail.id,
    to: sender === undefined ? [] : [sender.address],
    ...(copied.length > 0 && { cc: copied }),
    body,
  };
  return { args, unfollowed: clauses.filter((one) => !isForAll(one)).map(({ text }) => text) };
}

/** A draft as somebody wants it who was shown it, and what of that isn't followed: all of it where nothing is. */
export function redraftReply(args: JsonObject, wanted: string, moment: Moment): Worded {
  const unfollowed: string[] = [];
  // What is only added isn't cut off again.
  const clauses = readWishes(wanted).toSorted((one, other) => rank(one.wish) - rank(other.wish));
  const before = String(args.body ?? '');
  const body = clauses.reduce((text, clause) => {
    const changed = clause.wish && reword(text, clause.wish, moment);
    if (changed !== null && changed !== text) return changed;
    unfollowed.push(clause.text);
    return text;
  }, before);
  return { args: { ...args, body }, unfollowed: clauses.length === 0 ? [wanted] : unfollowed };
}

function rank(wish: Wish | null): number {
  return wish?.do === 'short' || wish?.do === 'say' ? 0 : 1;
}

/** The text of a draft with a wish; null where that can't be done. `moment`: when it was said, null where it's said of all. */
function reword(body: string, wish: Wish, moment: Moment | null): string | null {
  const [greeting = '', ...rest] = body.split('\n\n');
  const [signOff = '', text] = [rest.at(-1), rest.slice(0, -1).join('\n\n')];
  const withText = (words: string) => [greeting, words, signOff].join('\n\n');
  switch (wish.do) {
    case 'sign_off':
      return [greeting, text, toSignOff(wish.words, signOff)].join('\n\n');
    case 'greet':
      return [greeting.replace(GREETS, capitalise(wish.words)), text, signOff].join('\n\n');
    case 'say':
      return withText(asSentence(wish.words));
    case 'add':
      return withText(`${text} ${asSentence(wish.words)}`);
    case 'begin':
      return withText(`${asSentence(wish.words)} ${text}`);
    case 'propose': {
      const when = moment && sayProposed(wish.words, text, moment);
      return when === null ? null : withText(asSentence(DRAFT.propose(when)));
    }
    case 'replace':
      return body.replace(asWords(wish.old), () => wish.words);
    case 'short':
      return withText(/^.+?[.!?…]["”]?(?=\s|$)/s.exec(text)?.[0] ?? text);
    case 'formal':
      return reframe(toWhole(body), DRAFT.formalHello, DRAFT.formalBest);
    case 'friendly': {
      const reframed = reframe(body, DRAFT.hello, DRAFT.friendlyBest);
      const [more] = [DRAFT.hope, DRAFT.goodDay].filter((words) => !body.includes(words));
      // Once it greets and signs off in a friendly way, a warm word is left to be added.
      if (reframed !== body || more === undefined) return reframed;
      return withText(more === DRAFT.hope ? `${more} ${text}` : `${text} ${more}`);
    }
  }
}

const GREETS = /^(?:Hi|Hello|Hey|Dear|Good \w+|Hallo|Guten \w+|Moin)\b/;

/** These words as they stand, and not within others. */
function asWords(words: string): RegExp {
  const plain = words.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  return new RegExp(`(?<![\\p{L}\\p{N}])${plain}(?![\\p{L}\\p{N}])`, 'u');
}

/** The same without the contractions that the script writes. */
function toWhole(body: string): string {
  return body
    .replace(/\b(I|you|we|they)[’']ll\b/gi, '$1 will')
    .replace(/\bI[’']m\b/g, 'I am')
    .replace(/\b(you|we|they)[’']re\b/gi, '$1 are')
    .replace(/\b(do|does|did|is|are|was|were|has|have|would|could|should)n[’']t\b/gi, '$1 not')
    .replace(/\bcan[’']t\b/gi, (word) => `${word.slice(0, 3)}not`);
}

/** The last paragraph's first line of two, where it isn't a sentence. */
const SIGN_OFF = /\n\n[^\n.!?…]{1,40}(?=\n[^\n]*$)/;

/** The same with another greeting and sign-off. */
function reframe(body: string, hello: string, best: string): string {
  return body.replace(GREETS, hello).replace(SIGN_OFF, `\n\n${best}`);
}

/** A sign-off in these words, above the name that stands there. */
function toSignOff(words: string, before: string): string {
  if (words.includes(',')) return words.replace(/,\s*/, ',\n');
  return [`${words},`, ...before.split('\n').slice(1)].join('\n');
}

/** The time that somebody wants proposed, on the day that the draft names if they name none; null where they name no time. */
function sayProposed(words: string, text: string, moment: Moment): string | null {
  const [wished] = findSpokenTimes(words, moment);
  if (wished === undefined) return null;
  const named = findSpokenTimes(text, moment).find(({ day }) => day !== null);
  const [day, time] = [wished.day ?? named?.day ?? null, wished.time];
  return day !== null && time !== null ? sayWhen({ day, time }) : wished.text.replace(/^(?:at|on) /i, '');
}

function firstName(name: string): string {
  return name.split(/\s+/)[0] ?? '';
}

function toText(sentences: readonly string[]): string {
  return capitalise(sentences.join(' '));
}

function capitalise(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** What somebody wants said, as a sentence. */
export function asSentence(words: string): string {
  const whole = capitalise(words.trim());
  return /[.!?…]["”]?$/.test(whole) ? whole : `${whole}.`;
}
