import { type Document, isMap, isNode, isScalar, LineCounter, parseDocument } from 'yaml';

/** A parsed text of YAML or JSON, with the lines of its keys. */
export interface LinedDocument {
  readonly document: Document;
  /** The line, from 1, of a character. */
  readonly lineAt: (offset: number) => number;
  /** The line, from 1, of a key, or of the nearest key around it that is in the text. */
  readonly lineOf: (path: readonly PropertyKey[]) => number;
}

export function parseWithLines(text: string): LinedDocument {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const lineAt = (offset: number) => lines.linePos(offset).line;
  return {
    document,
    lineAt,
    lineOf(path) {
      for (let length = path.length; length > 0; length -= 1) {
        const parent = document.getIn(path.slice(0, length - 1), true);
        const key = path[length - 1];
        const node = isMap(parent)
          ? parent.items.find((pair) => isScalar(pair.key) && pair.key.value === key)?.key
          : document.getIn(path.slice(0, length), true);
        if (isNode(node) && node.range) return lineAt(node.range[0]);
      }
      return 1;
    },
  };
}
