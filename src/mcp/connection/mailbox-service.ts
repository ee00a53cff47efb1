import { AppError, errorCauses, errorCode } from '../../lib/errors.ts';
import { plainHost } from '../../lib/net/guarded-address.ts';
import { openGuardedSocket } from '../../lib/net/guarded-socket.ts';
import { describeNetworkError } from '../../lib/net/network-errors.ts';
import { ToolProblem } from '../../lib/text/tool-answers.ts';
import { networkReach } from '../config/reach.ts';
import type { ConnectorConfig } from '../config/schema.ts';
import type { MailboxService, MailServer } from '../ports.ts';
import { ServiceError } from '../protocol/service-error.ts';
import { connectionLost, mailServerUnreachable } from '../texts/calls.ts';
import { currentCall } from './call-correlation.ts';
import { withinPatience } from './service-fetch.ts';

/** How connections are secured by the scheme of an address, and the port that it stands for. */
const SCHEMES: Readonly<Record<string, Pick<MailServer, 'security' | 'port'>>> = {
  'imaps:': { security: 'tls', port: 993 },
  'imap+starttls:': { security: 'starttls', port: 143 },
  'imap:': { security: 'none', port: 143 },
  'smtps:': { security: 'tls', port: 465 },
  'smtp+starttls:': { security: 'starttls', port: 587 },
  'smtp:': { security: 'none', port: 25 },
};

type MailboxConfig = NonNullable<ConnectorConfig['mailbox']>;

/** A mailbox with connections to its servers, whose ends settle what becomes of the call in progress: see {@link MailboxService}. */
export function createMailboxService(
  server: string,
  { address, name, user, password, trash, imap, smtp }: MailboxConfig,
  {
    allow_private_network,
    readDocument,
  }: Pick<ConnectorConfig, 'allow_private_network'> & Pick<MailboxService, 'readDocument'>,
): MailboxService {
  return {
    address,
    name: name ?? null,
    user: user ?? address,
    password,
    trash: trash ?? null,
    imap: readServer(imap),
    smtp: readServer(smtp),
    readDocument,
    async exchange(target, run, { isWrite = false } = {}) {
      const call = currentCall();
      const reach = networkReach({ url: target.url.href, allow_private_network });
      const signal = withinPatience(call?.over);
      let isInDoubt = false;
      const open = () => openGuardedSocket(target, { reach });
      const mayBeDone = () => {
        isInDoubt = true;
      };
      const running = run({ open, signal, mayBeDone });
      // It has no other reader once the time is over.
      running.catch(() => undefined);
      try {
        const result = await Promise.race([running, abortion(signal)]);
        if (isWrite) call?.effects.wrote();
        return result;
      } catch (cause) {
        if (cause instanceof ToolProblem) throw cause;
        const error = withoutAnswer(server, target, cause, isInDoubt);
        if (isInDoubt) call?.effects.lost(error);
        else call?.effects.refused(error);
        throw error;
      }
    },
  };
}

function readServer(address: string): MailServer {
  const url = new URL(address);
  const scheme = SCHEMES[url.protocol];
  if (scheme === undefined) throw new TypeError(`not an address of a mail server: ${url.protocol}`);
  return { ...scheme, url, host: plainHost(url), ...(url.port !== '' && { port: Number(url.port) }) };
}

function withoutAnswer(server: string, { url }: MailServer, cause: unknown, isInDoubt: boolean): unknown {
  if (isInDoubt) return new ServiceError(connectionLost(server), { isInDoubt, isPassing: true, cause });
  // Says itself that nothing was asked.
  if (cause instanceof AppError) return cause;
  // What is said of a reset is about HTTP.
  const isReset = errorCauses(cause).some((one) => errorCode(one) === 'ECONNRESET');
  const why = isReset ? null : describeNetworkError(cause, url);
  return new ServiceError(mailServerUnreachable(server, url.host, why), {
    isInDoubt,
    isPassing: true,
    cause,
  });
}

function abortion(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  if (signal.aborted) abort();
  else signal.addEventListener('abort', abort, { once: true });
  return promise;
}
