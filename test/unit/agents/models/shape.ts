import { type RawAnswer, says } from '../../../helpers/raw-model.ts';

/** What must come of an answer: a card, a run of `list_events`, what the model is told, the line that people read. */
interface Ends {
  /** The title of the event on each card. */
  readonly cards?: readonly string[];
  readonly ran?: number;
  readonly heard?: RegExp;
  readonly line?: RegExp;
  /** What must stand in no message and no stream. */
  readonly hidden?: RegExp;
}
export type Row = readonly [shape: string, answers: readonly RawAnswer[], ends: Ends];

export const TITLE = '{"title":"Standup"}';
export const role = { role: 'assistant' };
export const call = (fields: object = {}, index = 0) => ({
  index,
  id: `call_${index}`,
  type: 'function',
  function: { name: 'create_event', arguments: TITLE },
  ...fields,
});
export const list = (fields: object = {}, index = 0) =>
  call({ function: { name: 'list_events', arguments: '{}' }, ...fields }, index);
export const DONE = says('So far so good.');
export const card: Ends = { cards: ['Standup'] };
export const ran: Ends = { ran: 1, line: /^So far so good\.$/ };
