import type { KnownBlock, ModalView } from '@slack/types';
import { z } from 'zod';
import { LIMITS, modalTitle, plain } from '../text/block-kit.ts';

export interface ModalParts {
  readonly callbackId: string;
  /** Cut at 24 characters: what matters stands in the blocks too. */
  readonly title: string;
  /** The verb on the button; null for a view with nothing to submit. */
  readonly submit: string | null;
  /** Opaque keys only: any app can read what is in a view. */
  readonly metadata: Readonly<Record<string, string | number>>;
  readonly blocks: readonly KnownBlock[];
}

/** A modal with its keys. */
export function modal({ callbackId, title, submit, metadata, blocks }: ModalParts): ModalView {
  return {
    type: 'modal',
    callback_id: callbackId,
    title: modalTitle(title),
    close: plain(submit === null ? 'Close' : 'Cancel'),
    ...(submit === null ? {} : { submit: plain(submit, LIMITS.modalTitle) }),
    private_metadata: JSON.stringify(metadata),
    blocks: [...blocks],
  };
}

const metadataSchema = z.record(z.string(), z.union([z.string(), z.number()]));

/** The keys that a modal was made with, from its `private_metadata`. Throws when they are not ours. */
export function readModalKeys(privateMetadata: string): Record<string, string | number> {
  return metadataSchema.parse(JSON.parse(privateMetadata));
}
