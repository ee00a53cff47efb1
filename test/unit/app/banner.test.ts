import { describe, expect, it } from 'vitest';
import { planTasks } from '../../../src/agents/demo/team/plan-tasks.ts';
import { greeting, type Started } from '../../../src/app/banner.ts';
import { WORKSPACE_PAGE } from '../../../src/app/texts/workspace.ts';

const LOCAL: Started = {
  url: 'http://127.0.0.1:3000',
  publicUrl: 'https://countersign.test',
  isWorker: false,
  workspaceUrl: 'http://127.0.0.1:3001',
  workspacePort: 3001,
  model: null,
  hasCalendar: true,
  team: [],
  hasServers: true,
  notes: [],
};

describe('the greeting', () => {
  it('names the page, the demo model, the HTTP API and the dashboard', () => {
    expect(greeting(LOCAL)).toBe(`
Countersign runs in a local workspace: open http://127.0.0.1:3001
It stands in for Slack. To connect the real one, see the README.
Without OPENAI_API_KEY a scripted demo model answers; it can use the calendar.
HTTP API: http://127.0.0.1:3000
Dashboard: https://countersign.test/dashboard

`);
  });

  it('of a worker promises no HTTP API', () => {
    const words = greeting({ ...LOCAL, workspaceUrl: null, isWorker: true });
    expect(words).toContain('Health: http://127.0.0.1:3000\n');
    expect(words).not.toMatch(/HTTP API|Dashboard/);
  });

  it('promises no calendar where none is configured', () => {
    expect(greeting({ ...LOCAL, hasCalendar: false })).not.toContain('calendar');
  });

  it('says what #team is for, with a request that its demo agents know, where it has them', () => {
    const agents = ['documents', 'calendar', 'code'];
    const example = WORKSPACE_PAGE.examplesIn.team[0] ?? '';
    expect(greeting({ ...LOCAL, team: agents })).toContain(
      `In #team, agents work on one request together (documents, calendar, code). Try: @countersign ${example}\n`,
    );
    expect(planTasks(example, agents, { now: 0, timeZone: 'UTC' })).toHaveLength(2);
    expect(greeting({ ...LOCAL, team: ['prices'] })).toContain('together (prices).\n');
    expect(greeting({ ...LOCAL, team: agents, workspaceUrl: null })).not.toContain('#team');
  });

  it('says that no server is configured', () => {
    const said = 'No server is configured, so the agent can read and change nothing.';
    expect(greeting({ ...LOCAL, hasCalendar: false, hasServers: false })).toContain(said);
    expect(greeting(LOCAL)).not.toContain(said);
  });

  it('ends with what else there is to know', () => {
    expect(greeting({ ...LOCAL, notes: ['A key was made.'] })).toMatch(/\nA key was made\.\n\n$/);
  });

  it('names the model where there is one, and says nothing of the demo', () => {
    const words = greeting({ ...LOCAL, model: 'gpt-5-mini' });
    expect(words).toContain('The model is gpt-5-mini.\n');
    expect(words).not.toContain('demo');
  });

  it('says that the port of the page was taken', () => {
    const taken = 'Port 4000 (WORKSPACE_PORT) is taken, so it took another one.';
    expect(greeting({ ...LOCAL, workspacePort: 4000 })).toContain(taken);
    expect(greeting(LOCAL)).not.toContain('taken');
  });

  it.each([
    ['any port', 0, 'http://127.0.0.1:45678'],
    ['the port that a URL leaves out', 80, 'http://127.0.0.1'],
  ])('does not call %s taken', (_what, workspacePort, workspaceUrl) => {
    expect(greeting({ ...LOCAL, workspacePort, workspaceUrl })).not.toContain('taken');
  });

  it('says that Slack is connected', () => {
    const text = greeting({ ...LOCAL, workspaceUrl: null });
    expect(text).toContain('Countersign is connected to Slack.');
    expect(text).not.toContain('workspace');
  });
});
