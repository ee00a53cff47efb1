import type { Components } from 'react-markdown';
import ReactMarkdown from 'react-markdown';
import remarkGfm from 'remark-gfm';
import { emojiFor } from '../text/emoji.ts';
import { SafeLink } from '../text/text.tsx';
import { BLOCK } from '../texts.ts';
import { safeUrl } from './block-kit.ts';
import { TableFrame } from './table.tsx';

const COMPONENTS: Components = {
  a: ({ href, children }) =>
    safeUrl(href) === null ? (
      children
    ) : (
      <a href={href} target="_blank" rel="noopener noreferrer">
        {children}
      </a>
    ),
  // Not loaded, for the reason that `Picture` gives.
  img: ({ src, alt }) => {
    const url = safeUrl(src);
    return url === null ? alt : <SafeLink url={url} label={BLOCK.image(alt ?? url)} />;
  },
  input: ({ checked }) => (
    <input
      type="checkbox"
      checked={checked === true}
      disabled
      aria-label={checked ? BLOCK.done : BLOCK.notDone}
    />
  ),
  table: ({ children }) => <TableFrame>{children}</TableFrame>,
};

/** A markdown block, with tables and task lists. Raw HTML in it stays text. */
export function Markdown({ source }: { source: string }) {
  return (
    <div className="markdown" dir="auto">
      <ReactMarkdown remarkPlugins={[remarkGfm]} components={COMPONENTS}>
        {outsideCode(source)}
      </ReactMarkdown>
    </div>
  );
}

/** Replaces `:emoji:` names, except in code. */
function outsideCode(source: string): string {
  return source.replace(
    /(```[\s\S]*?(?:```|$)|`[^`\n]*`)|:([a-z0-9_+'-]+):/g,
    (written, code: string | undefined, name: string) =>
      code === undefined ? (emojiFor(name) ?? written) : code,
  );
}
