/** A table of Markdown. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
}

export function number(value: number): string {
  return value.toLocaleString('en');
}

/** Of a share from 0 to 1. */
export function percent(share: number): string {
  return `${Number((share * 100).toPrecision(3))}%`;
}
