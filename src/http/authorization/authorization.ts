import type { Provider } from 'oidc-provider';
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/logger.ts';
import type { PersonalProgramsSettings } from '../../programs/ports.ts';
import type { Store } from '../../storage/store.ts';
import { PATHS } from './paths.ts';
import { PersonalPrograms } from './personal-programs.ts';
import { createProvider, type ProviderPorts } from './provider.ts';
import { AuthorizationRecords } from './records.ts';

interface AuthorizationPorts {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Logger;
  readonly settings: PersonalProgramsSettings;
  /** Where browsers reach this program, without a slash at the end. */
  readonly publicUrl: () => string;
  /** Whether a Slack user is in the workspace: as Slack says now, or said within minutes. */
  readonly isMember: (person: string, options: { readonly fresh: boolean }) => Promise<boolean>;
  /** Reads descriptions of clients, whose addresses anybody can name. */
  readonly fetch: ProviderPorts['fetch'];
}

/** How people let programs of their own in, to call tools as them: we are the authorization server of `/mcp`. */
export interface Authorization {
  readonly records: AuthorizationRecords;
  readonly programs: PersonalPrograms;
  /** Whether a Slack user may let programs in, as Slack says now. */
  readonly isMember: (person: string) => Promise<boolean>;
  /** The library's server, which is loaded when it's first needed. */
  readonly provider: () => Promise<Provider>;
  readonly clock: Clock;
}

export function createAuthorization(ports: AuthorizationPorts): Authorization {
  const { publicUrl, clock } = ports;
  const records = new AuthorizationRecords(ports);
  const isMember = (person: string) => ports.isMember(person, { fresh: true });
  let loading: Promise<Provider> | null = null;
  return {
    records,
    programs: new PersonalPrograms({
      ...ports,
      records,
      isStillMember: (person) => ports.isMember(person, { fresh: false }),
    }),
    isMember,
    clock,
    provider() {
      // Where we listen isn't known before the first request.
      const resource = `${publicUrl()}${PATHS.resource}`;
      loading ??= createProvider({ ...ports, records, isMember, issuer: publicUrl(), resource });
      return loading;
    },
  };
}
