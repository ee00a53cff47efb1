import { changeMessage } from './messages.ts';
import type { StoredFile, Workspace } from './types.ts';

const MIMETYPES: Readonly<Record<string, string>> = {
  txt: 'text/plain',
  md: 'text/markdown',
  json: 'application/json',
  jsonl: 'application/jsonl',
  csv: 'text/csv',
  html: 'text/html',
  png: 'image/png',
  jpg: 'image/jpeg',
  pdf: 'application/pdf',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
};

/** Stores a file that isn't shared yet; `content` is empty while an app has announced an upload. */
export function storeFile(
  workspace: Workspace,
  {
    user,
    name,
    content,
    size = content.length,
    isSnippet = false,
  }: {
    readonly user: string;
    readonly name: string;
    readonly content: Buffer;
    readonly size?: number;
    readonly isSnippet?: boolean;
  },
): StoredFile {
  const file: StoredFile = {
    id: workspace.newId('F'),
    name,
    title: name,
    mimetype: MIMETYPES[name.split('.').at(-1)?.toLowerCase() ?? ''] ?? 'application/octet-stream',
    user,
    created: Math.floor(workspace.clock.now() / 1000),
    content: content.toString('base64'),
    size,
    channels: [],
    isDeleted: false,
    isSnippet,
  };
  workspace.files.set(file.id, file);
  return file;
}

/** Notes that files were shared in a channel. */
export function shareFiles(workspace: Workspace, ids: readonly string[], channel: string): void {
  for (const id of ids) {
    const file = workspace.files.get(id);
    if (file !== undefined) workspace.files.set(id, { ...file, channels: [...file.channels, channel] });
  }
}

/** Changes a file, which its messages show from then on. */
export function changeFile(workspace: Workspace, file: StoredFile, change: Partial<StoredFile>): void {
  const changed = { ...file, ...change };
  workspace.files.set(file.id, changed);
  workspace.emit({ type: 'file_changed', file: changed });
}

/**
 * Deletes a file: its content goes, and messages with it say that there was one (`mode: tombstone`,
 * docs.slack.dev/reference/objects/file-object).
 */
export function deleteFile(workspace: Workspace, file: StoredFile): void {
  const deleted = { ...file, content: '', isDeleted: true };
  workspace.files.set(file.id, deleted);
  workspace.emit({ type: 'file_deleted', file: deleted });
  for (const message of [...workspace.messages.values()].flat()) {
    if (message.files.includes(file.id)) changeMessage(workspace, message, {});
  }
}
