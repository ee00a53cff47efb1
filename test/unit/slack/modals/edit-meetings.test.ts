import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createInputs } from '../../../../src/app/demo-servers/calendar/schemas.ts';
import type { JsonObject } from '../../../../src/lib/json.ts';
import { editModal, formTool, readEditForm } from '../../../../src/slack/modals/edit-arguments.ts';
import { assertView } from '../../../helpers/slack-limits.ts';
import { withTool } from '../cards/fixtures.ts';
import { edited } from './edited.ts';
import { filled, optionOf, untouched } from './untouched.ts';

const LOCAL: JsonObject = JSON.parse(
  JSON.stringify(z.toJSONSchema(createInputs('Europe/Berlin').createEvent, { io: 'input' })),
);
const meeting = {
  title: 'Lunch',
  start: '2026-11-27T12:00:00',
  calendar_id: 'team',
  time_zone: 'Europe/Berlin',
};

describe('the zone of a meeting', () => {
  const enter = (value: string, before: JsonObject = meeting) =>
    edited(LOCAL, before, { 'Time zone': { value } });

  it.each([
    ['berlin', 'Write one as Europe/Berlin.'],
    ['New York', 'Write one as America/New_York.'],
    [
      'Indiana',
      'Write one as America/Indiana/Knox or America/Indiana/Marengo or America/Indiana/Petersburg.',
    ],
    ['CEST', 'Write one as Europe/Berlin or America/New_York.'],
    ['Mars/Base', 'Write one as Europe/Berlin or America/New_York.'],
    ['+01:00', 'Write one as Europe/Berlin or America/New_York.'],
  ])('is refused beside its field where it is none: %s', (words, hint) => {
    const { errors } = { errors: {}, ...enter(words) };
    expect(Object.values(errors)).toEqual([`This isn't a time zone. ${hint}`]);
  });

  it.each(['Asia/Tokyo', 'UTC', 'America/Argentina/Buenos_Aires'])('may be any that there is: %s', (zone) => {
    expect(enter(zone)).toEqual({ arguments: { ...meeting, time_zone: zone } });
  });

  it('is the server’s business where it names zones in its own way', () => {
    const before = { ...meeting, time_zone: 'W. Europe Standard Time' };
    expect(enter('Tokyo Standard Time', before)).toEqual({
      arguments: { ...meeting, time_zone: 'Tokyo Standard Time' },
    });
  });
});

describe('the calendar of a meeting', () => {
  const own = [
    { value: 'primary', title: 'My calendar' },
    { value: 'team', title: 'Team' },
  ];
  const viewOf = (calendars: typeof own, args: JsonObject = meeting) => ({
    ...withTool(LOCAL, args, { trusted: true }),
    calendars,
  });
  const kindOf = (calendars: typeof own, args?: JsonObject) => {
    const form = editModal(viewOf(calendars, args));
    assertView(form);
    return form.blocks.flatMap((block) =>
      'label' in block && block.label.text === 'Calendar' ? [block.element.type] : [],
    )[0];
  };

  it('is one of those that there are', () => {
    const view = viewOf(own);
    const form = editModal(view);
    const read = (state: JsonObject) => readEditForm(formTool(view), meeting, state);
    expect(read(untouched(form))).toEqual({ values: meeting, errors: {} });
    const other = { Calendar: { selected_option: optionOf(form, 'Calendar', 'My calendar') } };
    expect(read(filled(form, other))).toEqual({ values: { ...meeting, calendar_id: 'primary' }, errors: {} });
  });

  it('stays as it is where it’s none of them', () => {
    const args = { ...meeting, calendar_id: 'gone' };
    const view = viewOf(own, args);
    expect(readEditForm(formTool(view), args, untouched(editModal(view))).values).toEqual(args);
  });

  it.each<[string, typeof own, string]>([
    ['a few', own, 'radio_buttons'],
    ['many', numbered(90), 'static_select'],
    ['none that are known', [], 'plain_text_input'],
    ['more than Slack has in a list', numbered(120), 'plain_text_input'],
    ['longer names than Slack has', [{ value: 'a', title: 'x'.repeat(76) }], 'plain_text_input'],
    ['two of one name', [...own, { value: 'b', title: 'Team' }], 'plain_text_input'],
  ])('has a field for %s', (_which, calendars, kind) => {
    expect(kindOf(calendars)).toBe(kind);
  });
});

function numbered(count: number) {
  return Array.from({ length: count }, (_, index) => ({ value: `c${index}`, title: `Calendar ${index}` }));
}
