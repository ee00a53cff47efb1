import type { OfferedTrigger, TriggerWhen } from './ports.ts';
import { type Reading, toRest } from './read-recurring.ts';

/** Reads what follows `when`: "an issue is opened in ana/garden: summarise it". Of several that fit, it's the one that says most. */
export function readTrigger(words: string, offered: readonly OfferedTrigger[]): Reading {
  const readings = offered.flatMap((one) => one.words.flatMap((form) => readForm(words, one, form) ?? []));
  const [best] = readings.toSorted((one, other) => other.length - one.length);
  return best ? { when: best.when, rest: toRest(words.slice(best.length)) } : { problem: 'no_trigger' };
}

function readForm(words: string, { server, trigger, parts }: OfferedTrigger, form: string) {
  const found = toPattern(form, parts).exec(words);
  if (!found) return null;
  const given = { ...found.groups };
  const when: TriggerWhen = { kind: 'trigger', server, trigger, words: fillIn(form, given), given };
  return { when, length: found[0].length };
}

/** What can be typed after `when`, an example of each trigger. */
export function triggerExamples(offered: readonly OfferedTrigger[]): readonly string[] {
  return offered.map(({ words: [usual], parts }) =>
    fillIn(usual, Object.fromEntries(Object.entries(parts).map(([name, { example }]) => [name, example]))),
  );
}

/** Words with their parts filled in. */
export function fillIn(words: string, given: Readonly<Record<string, string>>): string {
  return words.replace(/\{(\w+)\}/g, (part, name: string) => given[name] ?? part);
}

/** The words of a trigger are letters, so they are patterns as they are. */
function toPattern(form: string, parts: OfferedTrigger['parts']): RegExp {
  const said = form.split(/\s+/).map((word) => {
    const [, name] = /^\{(\w+)\}$/.exec(word) ?? [];
    const part = name === undefined ? undefined : parts[name];
    return part ? `(?<${name}>${part.matches.source})` : word;
  });
  const [first, ...rest] = said;
  const article = /^an?$/.test(first ?? '')
    ? String.raw`(?:an?\s+)?(?:new\s+)?`
    : `${first}${String.raw`\s+`}`;
  return new RegExp(String.raw`^${article}${rest.join(String.raw`\s+`)}(?=[\s,:;]|$)`, 'i');
}
