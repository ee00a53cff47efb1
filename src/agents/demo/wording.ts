import { stemmer } from 'stemmer';
import { suggestName } from '../../lib/config-errors/did-you-mean.ts';

/** Emoji, as signs or as Slack writes them, at either end of a message: those within may be part of a title. */
const SIGN = String.raw`(?:[\p{Extended_Pictographic}\p{Emoji_Modifier}\u{FE0F}\u{200D}]|:[a-z0-9_+'-]+:)`;
const AT_ENDS = new RegExp(String.raw`^(?:\s|${SIGN})+|(?:\s|${SIGN})+$`, 'gu');

export function withoutEmoji(text: string): string {
  return text.replace(AT_ENDS, '');
}

export function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** What a request begins with, and words that are near one of these and mean something else. */
const VERBS =
  'move reschedule shift postpone push change cancel delete remove create schedule book plan arrange show list summarise summarize write read what which when more like look last'.split(
    ' ',
  );
/** Days and other words of requests, and near ones that mean something else, wherever they stand. */
const WORDS =
  'today tomorrow monday tuesday wednesday thursday friday saturday sunday meeting meetings event events calendar appointment appointments available called titled call calls caller title titles'.split(
    ' ',
  );
/** Shorter words are near too many others. */
const SHORTEST = 4;
/** Words of this length may have two typos. */
const LONG = 8;

/** The text with verbs, days and other words of requests as they were meant. Quoted texts stay as they are. */
export function correctSpelling(text: string): string {
  let isFirst = true;
  return text.replace(/["“][^"”]*["”]|\p{L}+/gu, (word) => {
    const known = isFirst ? [...VERBS, ...WORDS] : WORDS;
    isFirst = false;
    const written = word.toLowerCase();
    if (word.length < SHORTEST || !/^\p{L}/u.test(word) || known.includes(written)) return word;
    const long = known.filter((it) => it.length >= LONG);
    const meant = suggestName(word, known, 1) ?? suggestName(word, long, 2);
    return meant !== null && meant[0] === written[0] ? meant : word;
  });
}

const GREETINGS =
  /^(?:hallo|moin|servus|guten (?:tag|morgen|abend)|hola|buenos d[ií]as|buenas|bonjour|salut|bonsoir|ciao|buongiorno|ol[aá]|bom dia|hej|hoi|goedemorgen|merhaba|cześć|ahoj|namaste|privet|konnichiwa|ni hao)(?!\p{L})/iu;
/** Common short words of other languages that are none in English. */
const FOREIGN =
  /(?<!\p{L})(?:ich|und|nicht|bitte|mein(?:e|en)?|morgen|heute|termin|verschiebe|danke|por favor|mañana|reunión|hoy|gracias|mueve|qué|para|je|mon|ma|rendez-vous|demain|aujourd['’]hui|réunion|merci|s['’]il|vous|déplace|domani|oggi|riunione|grazie|per favore|sposta|amanhã|hoje|reunião|obrigad[oa]|não|wat|mijn|morgen|vergadering)(?!\p{L})/giu;

/** Whether a text is in another language than English, as far as a script can tell: by its letters, or two of its words. */
export function isForeign(text: string): boolean {
  const letters = text.match(/\p{L}/gu) ?? [];
  const others = letters.filter((letter) => !/\p{Script=Latin}/u.test(letter));
  if (letters.length > 0 && others.length > letters.length / 2) return true;
  return GREETINGS.test(text) || (text.match(FOREIGN) ?? []).length >= 2;
}

/** Words of any request, which say nothing of what it is about. */
const COMMON = new Set(
  'a about all an and any anything are as at be been but by can could d did do does for from get give go had has have her here him his how i if in into is it its just let ll m make many me mine more much my need no not now of off on one or our out over please re s she should so some something t tell than that the their them then there these they thing things this those to too up us ve want was we were what when where which who whose why will with would you your'.split(
    ' ',
  ),
);

/** What a text is about: the stems of its words. */
export function topics(text: string): ReadonlySet<string> {
  const words = text.toLowerCase().match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
  return new Set(words.filter((word) => !COMMON.has(word)).map(stemmer));
}

/** What both texts are about. */
export function commonTopics(one: string, other: string): readonly string[] {
  const known = topics(other);
  return [...topics(one)].filter((topic) => known.has(topic));
}
