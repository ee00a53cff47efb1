const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/**
 * A name from right to left in marks that keep our words beside it and below it in their order. It's isolated, after a mark from
 * left to right: browsers take the direction of a block from its first letter, be that isolated or not
 * (html.spec.whatwg.org/multipage/dom.html#contained-text-auto-directionality).
 */
export function isolated(name: string): string {
  return RIGHT_TO_LEFT.test(name) ? `\u200e\u2068${name}\u2069` : name;
}
