import { parseArgs } from 'node:util';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { createCalendarServer } from '../../src/app/demo-servers/calendar/server.ts';

const { values } = parseArgs({
  options: {
    file: { type: 'string', default: 'calendar.json' },
    'time-zone': { type: 'string', default: Intl.DateTimeFormat().resolvedOptions().timeZone },
  },
});

serveStdio(() => createCalendarServer({ file: values.file, now: Date.now, timeZone: values['time-zone'] }));
