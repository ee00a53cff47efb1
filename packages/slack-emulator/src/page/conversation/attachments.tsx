import { type DragEvent, useRef, useState } from 'react';
import { readString } from '../blocks/block-kit.ts';
import { upload } from '../state/api.ts';
import { COMPOSER } from '../texts.ts';

/** The files that go with the next message. */
interface Attachments {
  readonly files: readonly File[];
  add(files: Iterable<File>): void;
  remove(file: File): void;
  clear(): void;
  /** Puts back what could not be sent. */
  restore(files: readonly File[]): void;
  /** Uploads them; answers their ids. */
  upload(user: string): Promise<string[]>;
}

/** What tells a file from the others that are attached. */
export function fileKey({ name, size, lastModified }: File): string {
  return `${name}:${size}:${lastModified}`;
}

export function useAttachments(): Attachments {
  const [files, setFiles] = useState<readonly File[]>([]);
  return {
    files,
    add(more) {
      // Inputs and drops take their list back once it was handed over, and React may read it later.
      const added = [...more];
      setFiles((before) => [...before, ...added]);
    },
    remove: (file) => setFiles((before) => before.filter((it) => it !== file)),
    clear: () => setFiles([]),
    restore: (unsent) => setFiles((now) => [...new Set([...unsent, ...now])]),
    async upload(user) {
      const ids: string[] = [];
      for (const file of files) ids.push(readString((await upload(user, file)).id));
      return ids;
    },
  };
}

/** What an element needs so that files can be dropped onto it. */
export function dropTarget({ add }: Attachments) {
  return {
    onDragOver: (event: DragEvent) => {
      if (event.dataTransfer.types.includes('Files')) event.preventDefault();
    },
    onDrop: (event: DragEvent) => {
      if (event.dataTransfer.files.length === 0) return;
      event.preventDefault();
      add(event.dataTransfer.files);
    },
  };
}

/** The button that asks for files. */
export function AttachButton({ attachments }: { attachments: Attachments }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <button
        type="button"
        className="button button-quiet button-attach"
        aria-label={COMPOSER.attach}
        title={COMPOSER.attach}
        onClick={() => input.current?.click()}
      >
        <svg viewBox="0 0 20 20" aria-hidden="true" focusable="false">
          <path d="M10 3.500v13M3.500 10h13" />
        </svg>
      </button>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label={COMPOSER.attach}
        onChange={({ target }) => {
          attachments.add(target.files ?? []);
          target.value = '';
        }}
      />
    </>
  );
}

/** The files that are to be sent, each of which can be taken away. */
export function AttachedFiles({ attachments: { files, remove } }: { attachments: Attachments }) {
  if (files.length === 0) return null;
  return (
    <ul className="attached" aria-label={COMPOSER.attached}>
      {files.map((file) => (
        <li key={fileKey(file)}>
          <bdi>{file.name}</bdi>
          <button type="button" aria-label={COMPOSER.detach(file.name)} onClick={() => remove(file)}>
            ×
          </button>
        </li>
      ))}
    </ul>
  );
}
