import type { Gate } from '../../gate/index.ts';
import type { ValidateArguments } from '../../gate/types.ts';
import type { Runs } from '../../runs/index.ts';
import type { HealthPorts } from '../ports.ts';
import type { ThreadFeed } from '../threads/feed.ts';
import type { KeyPorts } from './auth.ts';

/** What the API's routes need. */
export interface ApiPorts extends HealthPorts, KeyPorts {
  readonly gate: Gate;
  readonly runs: Runs;
  readonly feed: ThreadFeed;
  readonly validateArguments: ValidateArguments;
}
