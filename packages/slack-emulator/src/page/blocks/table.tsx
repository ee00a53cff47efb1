import { type ReactNode, useEffect, useRef, useState } from 'react';
import type { Json, JsonObject } from '../../json.ts';
import { BLOCK } from '../texts.ts';
import { readNumber, readObject, readObjects, readString } from './block-kit.ts';
import { RichText } from './rich-text.tsx';

/** A `table` or `data_table` block; its first row is the head, as in Slack. */
export function Table({ block }: { block: JsonObject }) {
  const rows = (Array.isArray(block.rows) ? block.rows : []).map((row) => readObjects(row));
  const settings = Array.isArray(block.column_settings) ? block.column_settings : [];
  const [head = [], ...body] = rows;
  const caption = readString(block.caption);
  return (
    <TableFrame>
      {caption !== '' && <caption>{caption}</caption>}
      <thead>
        <tr>
          {head.map((cell, column) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: cells are known by their column alone
            <th key={column} scope="col" className={alignment(settings[column])}>
              <Cell cell={cell} />
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {body.map((row, line) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows have no id and never move by themselves
          <tr key={line}>
            {row.map((cell, column) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: cells are known by their column alone
              <td key={column} className={alignment(settings[column])} dir="auto">
                <Cell cell={cell} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </TableFrame>
  );
}

/**
 * A table as wide as it wants to be, in a frame that is scrolled by mouse, finger or keyboard. Its edge is shaded where
 * there is more of it: a phone shows no scroll bar until one scrolls.
 */
export function TableFrame({ children }: { children: ReactNode }) {
  const frame = useRef<HTMLDivElement>(null);
  const [more, setMore] = useState('');
  useEffect(() => {
    const { current } = frame;
    if (current === null) return;
    const look = () => {
      const { scrollLeft, scrollWidth, clientWidth } = current;
      // Widths may have fractions, which these leave out.
      const isAtEnd = scrollLeft + clientWidth >= scrollWidth - 1;
      setMore(`${scrollLeft > 0 ? ' more-before' : ''}${isAtEnd ? '' : ' more-after'}`);
    };
    const sizes = new ResizeObserver(look);
    for (const element of [current, ...current.children]) sizes.observe(element);
    current.addEventListener('scroll', look, { passive: true });
    return () => {
      sizes.disconnect();
      current.removeEventListener('scroll', look);
    };
  }, []);
  return (
    <div className={`table-frame${more}`}>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <div ref={frame} className="table-scroll" role="group" aria-label={BLOCK.table} tabIndex={0}>
        <table className="table">{children}</table>
      </div>
    </div>
  );
}

function Cell({ cell }: { cell: JsonObject }) {
  if (cell.type === 'rich_text') return <RichText block={cell} />;
  const number = readNumber(cell.value);
  return <>{readString(cell.text) || (number === null ? '' : String(number))}</>;
}

function alignment(settings: Json | undefined): string {
  const align = readString(readObject(settings).align);
  return align === 'right' || align === 'center' ? `align-${align}` : '';
}
