import { type ChannelVersions, WRITES_IDX_MAP } from '@langchain/langgraph-checkpoint';
import { type Given, type GivenCheckpoint, type GivenWrites, isSpread } from './held-changes.ts';
import { isMessageList, type MessageLists, type Place } from './message-lists.ts';
import type { CheckpointChange, NewCheckpoint, NewValue, Typed } from './types.ts';

/** The largest value that a compact checkpoint has inside, in bytes: apart, it would take as many for its name. */
const LARGEST_INSIDE = 1_000;

/** Serialises what a graph gives, as the drivers store it. */
export class ChangeEncoder {
  readonly #dump: (value: unknown) => Promise<Typed>;
  readonly #lists: MessageLists | null;

  /** `lists` is null where it isn't known that what `dump` makes of a list grows with the list. */
  constructor(dump: (value: unknown) => Promise<Typed>, lists: MessageLists | null) {
    this.#dump = dump;
    this.#lists = lists;
  }

  /** The change as a driver stores it. */
  async encode(given: Given): Promise<CheckpointChange> {
    return given.kind === 'writes'
      ? this.#serialiseWrites(given)
      : { kind: 'checkpoint', checkpoint: await this.#serialiseCheckpoint(given) };
  }

  async #serialiseWrites({ at, writes, taskId, taskPath }: GivenWrites): Promise<CheckpointChange> {
    const rows = writes.map(async ([channel, value], place) => ({
      place: WRITES_IDX_MAP[channel] ?? place,
      channel,
      value: await this.#dump(value),
    }));
    return { kind: 'writes', at, taskId, taskPath, writes: await Promise.all(rows) };
  }

  async #serialiseCheckpoint(given: GivenCheckpoint): Promise<NewCheckpoint> {
    const { key, parentId, checkpoint, metadata, isCompact } = given;
    const { inside, versions, newVersions } = isCompact ? await this.#split(given) : allApart(given);
    const changed = Object.entries(newVersions).filter(([name]) =>
      Object.hasOwn(checkpoint.channel_values, name),
    );
    const values = await Promise.all(
      changed.map(([channel, version]) =>
        this.#newValue(key, channel, String(version), checkpoint.channel_values[channel]),
      ),
    );
    return {
      ...key,
      parentId,
      versions: Object.fromEntries(
        Object.entries(versions).map(([channel, version]) => [channel, String(version)]),
      ),
      checkpoint: await this.#dump({ ...checkpoint, channel_values: inside }),
      metadata: await this.#dump(metadata),
      values,
      isSpread: isSpread(metadata),
    };
  }

  /**
   * The small values inside, the others apart. Of those, lists of messages always were apart; any other may have been
   * small before, and is written again.
   */
  async #split({ key, checkpoint, newVersions }: GivenCheckpoint): Promise<SplitValues> {
    const inside: Record<string, unknown> = {};
    const versions: ChannelVersions = {};
    const written: ChannelVersions = {};
    for (const [channel, value] of Object.entries(checkpoint.channel_values)) {
      const version = checkpoint.channel_versions[channel];
      // Not part of the state yet.
      if (version === undefined) continue;
      const isList = this.#lists?.holds(key, channel, value) ?? isMessageList(value);
      if (!isList && (await this.#isSmall(value))) {
        inside[channel] = value;
        continue;
      }
      versions[channel] = version;
      if (!isList || Object.hasOwn(newVersions, channel)) written[channel] = version;
    }
    return { inside, versions, newVersions: written };
  }

  async #isSmall(value: unknown): Promise<boolean> {
    const { type, bytes } = await this.#dump(value);
    return type === 'json' && bytes.length <= LARGEST_INSIDE;
  }

  async #newValue(place: Place, channel: string, version: string, value: unknown): Promise<NewValue> {
    const list = await this.#lists?.serialised(place, { channel, version, value });
    if (list) return list;
    const whole = () => this.#dump(value);
    return { channel, version, after: null, value: await whole(), whole };
  }
}

/** Which values of a checkpoint are inside of it, the versions of those apart, and of which of these are written. */
interface SplitValues {
  readonly inside: Readonly<Record<string, unknown>>;
  readonly versions: ChannelVersions;
  readonly newVersions: ChannelVersions;
}

function allApart({ checkpoint, newVersions }: GivenCheckpoint): SplitValues {
  return { inside: {}, versions: checkpoint.channel_versions, newVersions };
}
