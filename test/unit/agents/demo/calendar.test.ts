import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { DateTime } from 'luxon';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { demoReply } from '../../../../src/agents/demo/reply.ts';
import { createCalendarServer } from '../../../../src/app/demo-servers/calendar/server.ts';
import { contentSchema } from '../../../../src/gate/call/outcome.ts';

const timeZone = 'Europe/Berlin';
/** A Monday, early. */
const now = DateTime.fromISO('2026-11-23T08:00:00', { zone: timeZone }).toMillis();
let folder: string;
let client: Client;
let messages: BaseMessage[];
/** What the person says to the next questions; without any, the model can't ask. */
let answers: string[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-demo-'));
  const server = createCalendarServer({ file: join(folder, 'calendar.json'), now: () => now, timeZone });
  client = new Client({ name: 'test', version: '1' });
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(theirs), client.connect(ours)]);
  messages = [];
  answers = [];
});

afterEach(async () => {
  await client.close();
  await rm(folder, { recursive: true, force: true });
});

/** Runs every call that the model proposes, without asking anybody, until it answers. */
async function say(words: string): Promise<string> {
  const { tools } = await client.listTools();
  const offered = tools.map(({ name }) => ({ name: `calendar__${name}` }));
  if (answers.length > 0) offered.push({ name: 'ask_user' });
  messages.push(new HumanMessage(words));
  for (;;) {
    const reply = demoReply({ messages, tools: offered, now, timeZone });
    if ('text' in reply) {
      messages.push(new AIMessage(reply.text));
      return reply.text;
    }
    const calls = reply.toolCalls.map((call, index) => ({ ...call, id: `call_${messages.length}_${index}` }));
    messages.push(
      new AIMessage({
        content: '',
        tool_calls: calls.map(({ id, name, arguments: args }) => ({ id, name, args })),
      }),
    );
    for (const call of calls) messages.push(await run(call));
  }
}

async function run(call: {
  id: string;
  name: string;
  arguments: Record<string, unknown>;
}): Promise<ToolMessage> {
  if (call.name === 'ask_user') {
    return new ToolMessage({ tool_call_id: call.id, content: `Answered by Ana: ${answers.shift() ?? ''}` });
  }
  const result = await client.callTool({
    name: call.name.slice('calendar__'.length),
    arguments: call.arguments,
  });
  const text = contentSchema
    .array()
    .parse(result.content)
    .map((part) => (part.type === 'text' ? part.text : ''))
    .join('\n');
  return new ToolMessage({
    tool_call_id: call.id,
    content: result.isError ? `Failed: ${text}` : text,
    status: result.isError ? 'error' : 'success',
  });
}

describe('the demo model with the example calendar', () => {
  it('creates an event that the calendar accepts, and says in a sentence where it is', async () => {
    expect(await say('create a meeting called Standup tomorrow at 9am')).toMatch(
      /Done: “Standup” is on Tue 24 Nov 2026, 09:00\.$/,
    );
  });

  it('goes through the whole walk-through', async () => {
    await say('create 2 events: Team Meeting at 10am and Lunch with Bob at 12pm');
    expect(await say('what is on my calendar today?')).toContain(
      [
        '| When | What | Length |',
        '| --- | --- | --- |',
        '| Mon 23 Nov 2026, 10:00 | Team Meeting | 30 min |',
        '| Mon 23 Nov 2026, 12:00 | Lunch with Bob | 30 min |',
      ].join('\n'),
    );
    expect(await say('move Team Meeting to Friday')).toContain('“Team Meeting” is on Fri 27 Nov 2026, 10:00');
    expect(await say('move team meeting to 11am')).toContain('“Team Meeting” is on Fri 27 Nov 2026, 11:00');
    expect(await say('cancel Lunch with Bob')).toContain('“Lunch with Bob” is deleted');
    const week = await say('what is on my calendar this week?');
    expect(week).toContain('Fri 27 Nov 2026, 11:00 | Team Meeting');
    expect(week).not.toContain('Lunch');
  });

  it('follows ordinary phrases, and asks back', async () => {
    await say('create 2 events: Standup tomorrow at 9am and Retro tomorrow at 3pm');
    expect(await say('move my meeting')).toContain(
      'Which meeting do you mean? Tell me its number, name, day or time. 1. “Standup” on Tue 24 Nov 2026, 09:00\n2. “Retro” on Tue 24 Nov 2026, 15:00',
    );
    expect(await say('move Standup')).toContain('When should “Standup” be?');
    expect(await say('what do I have tomorrow')).toContain('You have 2 events tomorrow:');
    expect(await say('who is free at 3')).toContain('You are free today at 15:00. I can only see your own');
    expect(await say('am I free tomorrow at 3?')).toContain('not free tomorrow at 15:00: “Retro”');
    expect(await say('summarise my week')).toContain('You have 2 events this week, 1 h in all.');
    expect(await say('thanks')).toContain("You're welcome.");
    expect(await say('send an email to Bob')).toContain('I have no tool for e-mail here, sorry.');
    await say('create a meeting called Lunch tomorrow at noon');
    expect(await say('cancel that')).toContain('“Lunch” is deleted');
    expect(await say('cancel that')).toContain('have created or moved nothing here');
  });

  it('goes on with the answers to what it asked', async () => {
    await say('create 2 events: Standup tomorrow at 9am and Retro tomorrow at 3pm');
    answers.push('the retro', 'Friday at 4pm');
    expect(await say('move my meeting')).toContain('“Retro” is on Fri 27 Nov 2026, 16:00');
    answers.push('hm', 'the second one', 'saturday 3pm');
    expect(await say('move my meeting')).toContain('“Retro” is on Sat 28 Nov 2026, 15:00');
    answers.push('2 to sunday at noon');
    expect(await say('move my meeting')).toContain('“Retro” is on Sun 29 Nov 2026, 12:00');
    answers.push('the first one');
    expect(await say('delete a meeting')).toContain('“Standup” is deleted');
  });

  it.each(['cancel that', 'never mind'])('leaves it when the answer is: %s', async (answer) => {
    await say('create 2 events: Standup tomorrow at 9am and Retro tomorrow at 3pm');
    answers.push(answer);
    expect(await say('delete a meeting')).toBe('All right, I leave it. Nothing was changed.');
    answers.push(answer);
    expect(await say('create a meeting')).toBe('All right, I leave it. Nothing was changed.');
  });

  it('takes words with typos, and emoji', async () => {
    expect(await say(':wave: creat a meetng called Standup tommorow at 9am 🙏')).toContain(
      '“Standup” is on Tue 24 Nov 2026, 09:00',
    );
    expect(await say('mvoe Stadnup to Firday 🎉')).toContain('“Standup” is on Fri 27 Nov 2026, 09:00');
    expect(await say('cancle standupp')).toContain('“Standup” is deleted');
  });

  it.each([
    'Hallo!',
    'verschiebe bitte meinen Termin auf morgen',
    'mueve mi reunión para mañana',
    '会議を移動して',
  ])('says kindly that it speaks English, and what it can do: %s', async (message) => {
    const answer = await say(message);
    expect(answer).toContain('I only follow a script, and it is in English, sorry.');
    expect(answer).toContain('move Standup to Friday');
  });

  it('says in the calendar’s words why something was not done', async () => {
    expect(
      await say('create a meeting called Night shift on 29 March 2027 at 9am for 30000 minutes'),
    ).toContain('Not done: create event “Night shift”');
  });
});
