import { z } from 'zod';
import { MEMORY_FORMAT } from '../texts/config.ts';

const UNITS = { KB: 1024, MB: 1024 ** 2, GB: 1024 ** 3 } as const;
const unitSchema = z.enum(['KB', 'MB', 'GB']);

/**
 * How a server's process is kept away from this program: in namespaces of its own, as another user of the
 * system, by a process of ours that can't be read, or not at all.
 */
const protectionSchema = z.enum(['namespace', 'user', 'parent', 'none']);
export type Protection = z.infer<typeof protectionSchema>;

const folderSchema = z.strictObject({
  path: z.string().min(1).describe('A folder or a file; ~/ is the home folder of this program’s user.'),
  write: z.boolean().default(false).describe('It may change what is in it.'),
});
export type SandboxFolder = z.infer<typeof folderSchema>;

/** An amount of bytes, such as `512MB`. */
export const bytesSchema = z.string(MEMORY_FORMAT).regex(/^[1-9]\d{0,5}(KB|MB|GB)$/, MEMORY_FORMAT);

/** What a server's process may reach. Amounts stay text, because a configuration is parsed twice. */
export const sandboxSchema = z.strictObject({
  protection: z
    .enum(['auto', ...protectionSchema.options])
    .default('auto')
    .describe(
      'How its process is kept away from this program: auto, the strongest that this machine allows; namespace, in namespaces of its own by bubblewrap; user, as the user SANDBOX_USER; parent, only by a process of ours that can’t be read; none.',
    ),
  network: z
    .boolean()
    .default(true)
    .describe('Without it, it reaches neither the network nor this machine by it. Needs namespaces.'),
  memory: bytesSchema
    .optional()
    .describe('Memory of its processes together, such as 512MB; with more, they are ended. Needs Linux.'),
  folders: z
    .array(folderSchema)
    .optional()
    .describe(
      'All that it may write, and what it sees of home folders, /tmp and /run; the rest it can only read. Default: what this program’s user may, but for this program’s own. Needs namespaces.',
    ),
});
export type Sandbox = z.infer<typeof sandboxSchema>;

/** An amount such as `512MB`, in bytes. */
export function parseBytes(text: string): number {
  return Number(text.slice(0, -2)) * UNITS[unitSchema.parse(text.slice(-2))];
}
