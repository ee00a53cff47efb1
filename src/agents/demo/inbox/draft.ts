import type { JsonObject } from '../../../lib/json.ts';
import { type Mail, type Owner, readPeople } from './mail.ts';
import { DRAFT } from './texts.ts';

/** The arguments of a reply with these sentences, as its owner words replies: to its sender, and to those in copy. */
export function draftReply(mail: Mail, owner: Owner, sentences: readonly string[]): JsonObject {
  const [sender] = readPeople(mail.from);
  const copied = readPeople(mail.cc).map(({ address }) => address);
  return {
    message_id: mail.id,
    to: sender === undefined ? [] : [sender.address],
    ...(copied.length > 0 && { cc: copied }),
    body: wordReply(sender?.name ?? '', owner, sentences),
  };
}

function wordReply(to: string, { name, replies }: Owner, sentences: readonly string[]): string {
  const isShort = replies.some((line) => /\bshort\b/i.test(line));
  const hello = preferred(replies, /^greet with/i) ?? DRAFT.hello;
  const called = /^dear$/i.test(hello) ? to : firstName(to);
  const signOff = (preferred(replies, /^sign off with/i) ?? DRAFT.best).replace(/,?$/, ',');
  const text = capitalise((isShort ? sentences.slice(0, 1) : sentences).join(' '));
  return [
    `${[hello, called].filter((part) => part !== '').join(' ')},`,
    text,
    `${signOff}\n${firstName(name)}`.trim(),
  ].join('\n\n');
}

/** What a line that begins so says in quotes: the first such line counts. */
function preferred(lines: readonly string[], begins: RegExp): string | null {
  const line = lines.find((one) => begins.test(one));
  return /["“]([^"”]{1,60})["”]/.exec(line ?? '')?.[1] ?? null;
}

function firstName(name: string): string {
  return name.split(/\s+/)[0] ?? '';
}

function capitalise(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
