import { WRITES_IDX_MAP } from '@langchain/langgraph-checkpoint';
import { type Given, type GivenCheckpoint, type GivenWrites, isSpread } from './held-changes.ts';
import type { MessageLists, Place } from './message-lists.ts';
import type { CheckpointChange, NewCheckpoint, NewValue, Typed } from './types.ts';

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

  /** With the values of the channels in `newVersions` only; the others are stored with an earlier checkpoint. */
  async #serialiseCheckpoint(given: GivenCheckpoint): Promise<NewCheckpoint> {
    const { key, parentId, checkpoint, metadata, newVersions } = given;
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
        Object.entries(checkpoint.channel_versions).map(([channel, version]) => [channel, String(version)]),
      ),
      checkpoint: await this.#dump({ ...checkpoint, channel_values: {} }),
      metadata: await this.#dump(metadata),
      values,
      isSpread: isSpread(metadata),
    };
  }

  async #newValue(place: Place, channel: string, version: string, value: unknown): Promise<NewValue> {
    const list = await this.#lists?.serialised(place, { channel, version, value });
    if (list) return list;
    const whole = () => this.#dump(value);
    return { channel, version, after: null, value: await whole(), whole };
  }
}
