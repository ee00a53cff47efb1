import { createHash } from 'node:crypto';
import type { KnownBlock } from '@slack/types';
import { ErrorCode, type WebClient } from '@slack/web-api';
import { z } from 'zod';
import { messageOf } from '../errors.ts';
import type { Clock } from '../gate/ports.ts';
import { put, ref, type Store, type Stored, unchanged } from '../storage/store.ts';
import { type OutboxRow, outbox, posted } from './records.ts';
import type { Rendered } from './render.ts';
import type { Message } from './text/elements.ts';
import { parseSlackThreadId } from './thread-id.ts';

export interface OutboxPorts {
  readonly store: Store;
  readonly clock: Clock;
  readonly client: WebClient;
  readonly render: (row: OutboxRow) => Promise<Rendered | null>;
  /** Finishes a message that was streamed so far; its ts, or null when there is none. */
  readonly finishStream: (row: OutboxRow) => Promise<string | null>;
  readonly log: { error(details: object, message: string): void; warn(details: object, message: string): void };
}

/** How long to wait before an attempt that failed for no clear reason is made again, in milliseconds. */
const RETRY_MS = 2_000;

const slackErrorSchema = z.object({ code: z.string(), retryAfter: z.number().optional() });
const platformErrorSchema = z.object({ data: z.object({ error: z.string() }) });

/**
 * Shows in Slack what the rows name, first in first out in each channel, until it is shown. The rows are
 * written by the commits they tell of, so that what happened and what people see cannot come apart.
 */
export function createOutbox(ports: OutboxPorts) {
  const pumps = new Map<string, Promise<void>>();
  const again = new Set<string>();
  const timers = new Set<NodeJS.Timeout>();
  let stopped = false;

  function wake(channel: string): void {
    if (stopped) return;
    if (pumps.has(channel)) {
      again.add(channel);
      return;
    }
    const pump = drain(channel)
      .catch((error: unknown) => {
        ports.log.error({ err: error, channel }, `the outbox paused: ${messageOf(error)}`);
        later(channel, RETRY_MS);
      })
      .finally(() => {
        pumps.delete(channel);
        if (again.delete(channel)) wake(channel);
      });
    pumps.set(channel, pump);
  }

  function later(channel: string, delayMs: number): void {
    const timer = setTimeout(() => {
      timers.delete(timer);
      wake(channel);
    }, delayMs);
    timer.unref();
    timers.add(timer);
  }

  async function drain(channel: string): Promise<void> {
    while (!stopped) {
      const page = await ports.store.query(outbox, 'byChannel', { prefix: [channel] }, 1);
      const [row] = page.items;
      if (!row) return;
      const waitMs = await deliver(row);
      if (waitMs === null) continue;
      later(channel, waitMs);
      return;
    }
  }

  /** Shows one row. Null when it is done with; else how long to wait before trying again. */
  async function deliver(row: Stored<OutboxRow>): Promise<number | null> {
    try {
      const rendered = await ports.render(row.value);
      if (rendered) await show(row, rendered);
    } catch (error) {
      const failure = classify(error);
      if (failure.waitMs !== null) {
        ports.log.warn({ row: row.id, error: failure.name }, 'Slack did not take a message; trying again');
        return failure.waitMs;
      }
      ports.log.error({ row: row.id, error: failure.name }, 'Slack refused a message for good; it is left out');
    }
    // A row that was written again meanwhile stands for something newer, and stays.
    await ports.store.commit({ expect: [unchanged(outbox, row)], delete: [ref(outbox, row.id)] });
    return null;
  }

  async function show(row: Stored<OutboxRow>, rendered: Rendered): Promise<void> {
    const streamed = row.value.show.kind === 'answer' ? await ports.finishStream(row.value) : null;
    for (const [index, message] of rendered.messages.entries()) {
      const key = index === 0 ? row.id : `${row.id}:${index}`;
      const known = (await ports.store.get(posted, key))?.value ?? null;
      const ts = known?.ts ?? (index === 0 ? streamed : null) ?? (known && (await arrivedBefore(row.value, key)));
      if (ts !== null && (await update(row.value.channel, ts, message, known?.hash ?? null))) {
        await remember(key, row.value.channel, ts, message);
      } else if (!rendered.onlyUpdate) {
        await remember(key, row.value.channel, null, message);
        await remember(key, row.value.channel, await post(row.value, key, message), message);
      }
    }
  }

  async function post(row: OutboxRow, key: string, message: Message<KnownBlock>): Promise<string> {
    const thread = parseSlackThreadId(row.threadId);
    const response = await ports.client.chat.postMessage({
      channel: row.channel,
      ...(thread ? { thread_ts: thread.threadTs } : {}),
      text: message.text,
      blocks: message.blocks,
      metadata: { event_type: 'countersign', event_payload: { key } },
      unfurl_links: false,
      unfurl_media: false,
    });
    return z.string().parse(response.ts);
  }

  /** False when the message is not there any more. */
  async function update(
    channel: string,
    ts: string,
    message: Message<KnownBlock>,
    shown: string | null,
  ): Promise<boolean> {
    if (shown === hashOf(message)) return true;
    try {
      await ports.client.chat.update({ channel, ts, text: message.text, blocks: message.blocks });
      return true;
    } catch (error) {
      if (classify(error).name === 'message_not_found') return false;
      throw error;
    }
  }

  async function remember(
    key: string,
    channel: string,
    ts: string | null,
    message: Message<KnownBlock>,
  ): Promise<void> {
    await ports.store.commit({ put: [put(posted, key, { channel, ts, hash: hashOf(message) })] });
  }

  /** A post whose answer was lost has arrived all the same: look for its marker before posting again. */
  async function arrivedBefore(row: OutboxRow, key: string): Promise<string | null> {
    const thread = parseSlackThreadId(row.threadId);
    if (!thread) return null;
    const response = await ports.client.conversations.replies({
      channel: thread.channel,
      ts: thread.threadTs,
      include_all_metadata: true,
      limit: 200,
    });
    const found = response.messages?.find(({ metadata }) => keyInMetadata(metadata) === key);
    return found?.ts ?? null;
  }

  return {
    wake,
    /** Takes up what an earlier process left. */
    async start(): Promise<void> {
      const page = await ports.store.query(outbox, 'byChannel', {}, 10_000);
      for (const channel of new Set(page.items.map((row) => row.value.channel))) wake(channel);
    },
    async stop(): Promise<void> {
      stopped = true;
      for (const timer of timers) clearTimeout(timer);
      await Promise.allSettled(pumps.values());
    },
  };
}
export type Outbox = ReturnType<typeof createOutbox>;

const metadataSchema = z.object({
  event_type: z.literal('countersign'),
  event_payload: z.object({ key: z.string() }),
});

function keyInMetadata(metadata: unknown): string | null {
  const parsed = metadataSchema.safeParse(metadata);
  return parsed.success ? parsed.data.event_payload.key : null;
}

function hashOf(message: Message<KnownBlock>): string {
  return createHash('sha256').update(JSON.stringify(message)).digest('base64url');
}

/** Slack's answers that another attempt will not change; anything else is worth trying again. */
function classify(error: unknown): { readonly name: string; readonly waitMs: number | null } {
  const parsed = slackErrorSchema.safeParse(error);
  if (!parsed.success) return { name: messageOf(error), waitMs: RETRY_MS };
  if (parsed.data.code === ErrorCode.RateLimitedError) {
    return { name: 'rate_limited', waitMs: (parsed.data.retryAfter ?? 1) * 1_000 };
  }
  const platform = platformErrorSchema.safeParse(error);
  if (parsed.data.code !== ErrorCode.PlatformError || !platform.success) {
    return { name: parsed.data.code, waitMs: RETRY_MS };
  }
  const name = platform.data.data.error;
  const passing = ['internal_error', 'fatal_error', 'service_unavailable', 'request_timeout', 'ratelimited'];
  return { name, waitMs: passing.includes(name) ? RETRY_MS : null };
}
