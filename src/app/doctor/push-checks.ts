import type { Env } from '../../config/env.ts';
import type { FileConfig } from '../../config/file.ts';
import { loadConnectors } from '../../connectors/index.ts';
import { listPushes } from '../inbox/push.ts';
import { CHECKS, PUSH, SERVERS } from '../texts/doctor.ts';
import { type Finding, failed, find, ok, warning } from './finding.ts';

/** A token that nobody has signed, with which a reader asks for the keys that it would have to be signed with. */
const UNSIGNED = ['{"alg":"RS256","kid":"doctor"}', '{}', 'nothing']
  .map((part) => Buffer.from(part).toString('base64url'))
  .join('.');

/** Whether services that are to tell of what is new can be heard, and whom their subscriptions have to send to. */
export async function* checkPushes(
  { servers }: Pick<FileConfig, 'servers'>,
  { publicUrl }: Pick<Env, 'publicUrl'>,
): AsyncGenerator<Finding> {
  const connectors = await loadConnectors(servers);
  for (const { server, topic, path, sender, createReader } of listPushes({ servers, connectors })) {
    const entry = SERVERS.entry(server);
    yield await find(CHECKS.push(server), async () => {
      if (createReader === null) return warning(SERVERS.stray('push'), SERVERS.mendStray('push', entry));
      if (publicUrl === null) return failed(PUSH.nowhere, PUSH.mendNowhere);
      const { audience, serviceAccount } = sender(publicUrl);
      const headers = { authorization: ['Bearer', UNSIGNED].join(' ') };
      const read = await createReader(sender(publicUrl))(new Request(publicUrl, { method: 'POST', headers }));
      if ('status' in read && read.status === 503) return failed(PUSH.noKeys, PUSH.mendNoKeys);
      return ok(PUSH.isHeard({ topic, url: `${publicUrl}${path}`, audience, serviceAccount }));
    });
  }
}
