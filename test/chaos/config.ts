import { join } from 'node:path';
import { CAROL } from '@countersign/slack-emulator';
import { MISDEEDS, reverse } from '../fixtures/servers/misbehaviour.ts';
import type { MailServers } from '../helpers/mail-servers.ts';
import { HOSTILE_ACTS, type HostileServer } from './hostile-server.ts';
import { MAILBOX } from './inbox-person.ts';
import { TEAM_AGENTS } from './model.ts';
import type { Plan } from './plan.ts';

/** The channel that programs' cards are posted in. */
const GENERAL = 'C0GENERAL1';
/** What a surface is called among the routes. */
const ROUTES = { dm: 'dm', channel: GENERAL };
const THIEF = join(import.meta.dirname, '../fixtures/servers/hostile-stdio.ts');
/** How long a call of a hostile server may go on without an answer, in milliseconds. */
const TIMEOUT_MS = 1_500;

const READS_MAIL = ['list_*', 'get_*', 'check_*'].map((tools) => `${MAILBOX}.${tools}`);

/** What the thief is after. */
interface Target {
  readonly secrets: readonly string[];
  readonly dataDir: string;
}

/** The servers that the configuration names. */
interface Servers {
  readonly ledgerUrl: string;
  readonly hostile: HostileServer | null;
  /** Null where no mailbox is watched. */
  readonly mail: Pick<MailServers, 'entry'> | null;
}

/** The configuration of every process: the ledger, a mailbox, and the hostile servers where some conversation calls them. */
export function configOf(plan: Plan, { ledgerUrl, hostile, mail }: Servers, target: Target) {
  const acts = [
    ...(hostile ? HOSTILE_ACTS.map((act) => `hostile.${act}`) : []),
    ...(hasThief(plan) ? MISDEEDS.map((misdeed) => `thief.${misdeed}`) : []),
  ];
  // They list their tools otherwise each time, and without reviews they still get their calls.
  const common = { timeout_ms: TIMEOUT_MS, tool_review: 'off' };
  return {
    routes: Object.fromEntries([
      ...plan.planned.flatMap((surface) => (surface === 'http' ? [] : [[ROUTES[surface], 'planner']])),
      ...plan.teamed.flatMap((surface) => (surface === 'http' ? [] : [[ROUTES[surface], 'team']])),
    ]),
    team: {
      agents: Object.fromEntries(
        TEAM_AGENTS.map((name) => [name, { description: 'Enters what it is told to.', tools: ['*.*'] }]),
      ),
    },
    policy: {
      default: 'ask',
      rules: [
        { name: 'reading', tools: ['ledger.read_*'], action: 'allow' },
        ...(mail ? [{ name: 'reading mail', tools: READS_MAIL, action: 'allow' }] : []),
        ...(acts.length === 0 ? [] : [{ name: 'acts', tools: acts, action: 'allow' }]),
      ],
    },
    ...(plan.programs.length > 0 && {
      programs: { env: { title: 'Builder', for: CAROL, channel: GENERAL } },
    }),
    // The model answers by rule, and not what is to be remembered.
    memory: { enabled: false },
    ...(mail && { inbox: { look_seconds: 1 } }),
    mcpServers: {
      ledger: { url: ledgerUrl, trusted: true },
      ...(mail && { [MAILBOX]: { connector: 'imap', owner: CAROL, mailbox: mail.entry() } }),
      ...(hostile && { hostile: { url: hostile.url, ...common } }),
      ...(hostile && hasThief(plan) && { thief: { ...thiefOf(plan, hostile.collector, target), ...common } }),
    },
  };
}

/** Whether a server of the plan is a hostile process. */
export function hasThief({ conversations }: Plan): boolean {
  const misdeeds: readonly string[] = MISDEEDS;
  return conversations.flatMap(({ mischief }) => mischief).some((act) => misdeeds.includes(act));
}

/** The hostile server that is a process, on the machine where the secrets are. */
function thiefOf({ protection, storage }: Plan, collector: string, { secrets, dataDir }: Target) {
  // On Redis, each process has its own folder there, and nothing in it.
  const paths = storage === 'sqlite' ? [dataDir] : [];
  const order = { secretsBackwards: secrets.map(reverse), paths, collector };
  return {
    command: process.execPath,
    args: [THIEF, JSON.stringify(order)],
    // Only root can start something as another user.
    sandbox: { protection: process.geteuid?.() === 0 ? protection : 'auto' },
  };
}
