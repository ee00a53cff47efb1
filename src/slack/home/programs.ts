import type { KnownBlock } from '@slack/types';
import { sentence } from '../../presentation/outcome-text.ts';
import { clip } from '../../presentation/text/clip.ts';
import { formatInstant } from '../../presentation/text/time.ts';
import type { ConnectedProgram } from '../../programs/ports.ts';
import { ACTIONS } from '../cards/action-ids.ts';
import { button, confirmation, context, plain } from '../text/block-kit.ts';
import { isolated } from '../text/isolate.ts';
import { PROGRAMS } from '../texts/home.ts';

/** The most programs listed with a button each; the others are counted. */
const LISTED = 15;
const LINE_LENGTH = 300;

/** The programs that the viewer has let in, to act as them. */
export interface ProgramsView {
  readonly programs: readonly ConnectedProgram[];
  /** IANA zone of the viewer. */
  readonly timeZone: string;
}

/** The section of the viewer's programs in App Home; nothing where there is none. */
export function programBlocks({ programs, timeZone }: ProgramsView): KnownBlock[] {
  if (programs.length === 0) return [];
  const left = programs.length - LISTED;
  return [
    { type: 'header', block_id: 'header:programs', text: plain(PROGRAMS.title, 150) },
    ...programs.slice(0, LISTED).map((one, index) => programBlock(one, index, timeZone)),
    ...(left > 0 ? [context('programs:more', PROGRAMS.more(left))] : []),
  ];
}

function programBlock(
  { id, name, connectedAt }: ConnectedProgram,
  index: number,
  timeZone: string,
): KnownBlock {
  const line = PROGRAMS.line(isolated(sentence(name)), formatInstant(connectedAt, timeZone));
  const ends = PROGRAMS.endWarning(isolated(clip(sentence(name), 80)));
  const confirm = confirmation(PROGRAMS.endTitle, ends, PROGRAMS.end);
  return {
    type: 'section',
    block_id: `program:${index}`,
    text: plain(clip(line, LINE_LENGTH)),
    accessory: button(ACTIONS.endProgram, PROGRAMS.end, id, { confirm }),
  };
}
