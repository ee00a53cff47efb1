import { FUNCTION_OF_PROGRAM, type ToolSnapshot } from '../../gate/types.ts';
import { readableName } from '../../lib/readable-name.ts';
import { removeInvisible } from '../../lib/unicode.ts';
import { PLAIN_VERBS } from '../texts.ts';
import { clip } from './clip.ts';
import { visible, visibleJson } from './visible.ts';

/** The longest title shown, in characters: it says what a tool does, and the name beside it which tool it is. */
const TITLE_LENGTH = 80;

/**
 * What may stand in a server's title: letters, digits and a few marks of prose. Our own lines use the rest: pictures
 * (`✅`), separators (`·`, `→`, `•`), quotes, brackets and colons; and so do mrkdwn and `:emoji_codes:`.
 */
const NOT_IN_TITLES = /[^\p{L}\p{M}\p{Nd} ,.\-/&'+%!?_]|(?<![\p{L}\p{Nd}])_|_(?![\p{L}\p{Nd}])/gu;
/** Marks piled on one letter, which would cover the lines above and below. */
const PILED_MARKS = /(?<=\p{M}{2})\p{M}+/gu;
/** A name that can't be misread. Others are quoted. */
const PLAIN_NAME = /^[\w.\-/]+$/;

/**
 * A server's title on one line, without whatever our own lines are made of; empty if nothing else is in it. Not yet
 * passed through `visible`.
 */
export function plainTitle(title: string): string {
  const words = removeInvisible(title)
    .replace(NOT_IN_TITLES, ' ')
    .replace(PILED_MARKS, '')
    .replace(/ +/g, ' ')
    .trim();
  return clip(words, TITLE_LENGTH);
}

type HeadedTool = Pick<ToolSnapshot, 'server' | 'name' | 'title' | 'trusted'>;

/** What heads a card. */
interface ToolHead {
  /** Empty where nothing of the title may be shown, and the name has no words. */
  readonly title: string;
  /** The server's title, to stand behind the real name; null where it is the title, or says no more. */
  readonly titled: string | null;
}

/**
 * What heads a card: a trusted server's title. Any other's could be a line like ours ("Approved by Ana"), so there the
 * tool's name in words comes first.
 */
export function headTool({ server, name, title, trusted }: HeadedTool): ToolHead {
  const given = visible(plainTitle(title));
  const own = visible(
    plainTitle(readableName(server === FUNCTION_OF_PROGRAM.server ? bareName(name) : name)),
  );
  if (trusted === true || own === '') return { title: given, titled: null };
  return { title: own, titled: given === '' || given.toLowerCase() === own.toLowerCase() ? null : given };
}

/** What a tool is called in lines, forms and dialogs: what heads its card. */
export function toolTitle(tool: HeadedTool): string {
  return headTool(tool).title;
}

/** A function's name as its program has it. */
function bareName(name: string): string {
  const { prefix } = FUNCTION_OF_PROGRAM;
  return name.startsWith(prefix) ? name.slice(prefix.length) : name;
}

/** The verb that a tool's title begins with, such as `Delete`; null where that is no plain verb. */
export function toolVerb(tool: HeadedTool): string | null {
  const [first = ''] = toolTitle(tool).split(' ');
  return PLAIN_VERBS.has(first.toLowerCase()) ? `${first.charAt(0).toUpperCase()}${first.slice(1)}` : null;
}

/** What a server says of its tool: the description, below the title where that doesn't head the card as it was written. */
export function describeTool(tool: HeadedTool & Pick<ToolSnapshot, 'description'>): string {
  const { title, description } = tool;
  const whole = toolTitle(tool) === title ? [] : [title];
  return visible([...whole, description].join('\n\n')).trim();
}

/** The real name of a tool, as rules match it: `calendar.create_event`. */
export function toolName({ server, name }: Pick<ToolSnapshot, 'server' | 'name'>): string {
  return server === '' ? quoteName(name) : `${quoteName(server)}.${quoteName(name)}`;
}

/** A name as it is; one that could be taken for other text, as JSON. */
export function quoteName(name: string): string {
  return PLAIN_NAME.test(name) ? name : visibleJson(JSON.stringify(name));
}

/** A tool in a line of text: its title with its real name, `Create event (calendar.create_event)`. */
export function nameTool(tool: HeadedTool, limit = 200): string {
  const title = toolTitle(tool);
  const name = `(${toolName(tool)})`;
  if (title === '' || name.length > limit) return clip(toolName(tool), limit);
  const room = limit - name.length - 1;
  return room < 1 ? clip(toolName(tool), limit) : `${clip(title, room)} ${name}`;
}
