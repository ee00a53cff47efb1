import type { KnownBlock, ModalView } from '@slack/types';
import { z } from 'zod';
import { LIMITS, modalTitle, plain } from '../text/block-kit.ts';
import { MODAL } from '../texts/modals.ts';

interface ModalParts {
  readonly callbackId: string;
  /** Cut at 24 characters, so anything important must be in the blocks too. */
  readonly title: string;
  /** The submit button's verb; null for a view with nothing to submit. */
  readonly submit: string | null;
  /** Opaque keys only: any app can read a view's metadata. */
  readonly metadata: Readonly<Record<string, string | number>>;
  readonly blocks: readonly KnownBlock[];
}

/** A modal, with its keys in `private_metadata`. */
export function modal({ callbackId, title, submit, metadata, blocks }: ModalParts): ModalView {
  return {
    type: 'modal',
    callback_id: callbackId,
    title: modalTitle(title),
    close: plain(submit === null ? MODAL.close : MODAL.cancel),
    ...(submit === null ? {} : { submit: plain(submit, LIMITS.modalTitle) }),
    private_metadata: JSON.stringify(metadata),
    blocks: [...blocks],
  };
}

const metadataSchema = z.record(z.string(), z.union([z.string(), z.number()]));

/** The keys in a modal's `private_metadata`. Throws when they aren't ours. */
export function readModalKeys(privateMetadata: string): Record<string, string | number> {
  return metadataSchema.parse(JSON.parse(privateMetadata));
}
