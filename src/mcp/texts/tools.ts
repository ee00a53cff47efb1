/** The texts of tools and their reviews that people and the model see. */

import { formatCount } from '../../lib/count.ts';

/** What the model reads of a tool that connects a server. */
export function connectToolTexts(server: string): { readonly title: string; readonly description: string } {
  return {
    title: `Connect ${server}`,
    description:
      `Connects ${server} as the person you are talking with, who is asked to sign in; afterwards its tools are available. ` +
      `Call this, alone and at once, when the request may need ${server}.`,
  };
}

/** What people and the model read of the tools for a server's resources. */
export const LIST_RESOURCES_TEXTS = {
  title: 'List resources',
  description:
    'Lists what the server has to read: resources with their URIs, and templates of URIs to be filled in. ' +
    'Changes nothing.',
} as const;

export const READ_RESOURCE_TEXTS = {
  title: 'Read a resource',
  description: 'Reads one resource of the server by its URI. Changes nothing.',
} as const;

export const RESOURCE_URI =
  'As listed, as a template (RFC 6570) with its variables filled in, or as in a link of a result.';

/** What the model reads of a tool whose description was only listed for somebody else. */
export function redactedDescription(server: string): string {
  return (
    `${server} describes this tool only to people who have connected it. Go by its name and its arguments; ` +
    'whoever has not connected it is asked to when it is called.'
  );
}

export function hiddenCharacters(server: string, tool: string): string {
  return `The tool ${tool} of ${server} has invisible characters in a name, value or pattern of its schema; it is not used.`;
}

// Tool lists that can't be used

/** `how` completes "Its list of tools …". */
export function unusableList(how: string): string {
  return `Its list of tools ${how}.`;
}

export function endlessList(pages: number): string {
  return `does not end: it has more than ${pages} pages`;
}

export function tooManyTools(most: number): string {
  return `is too long: it has more than ${formatCount(most)} tools`;
}

// Why a tool is left out, completing "it …"

export function unreadableDefinition(problems: string): string {
  return `has a definition that cannot be read: ${problems}`;
}

export function nestedTooDeeply(levels: number): string {
  return `is described in more than ${levels} levels`;
}

export function promptTooLong(characters: number): string {
  return `takes more than ${formatCount(characters)} characters to describe`;
}

export function definitionTooLong(characters: number): string {
  return `is described in more than ${formatCount(characters)} characters`;
}

// Reviews

/** A tool is held until somebody has reviewed it. */
export function heldTool(server: string, tool: string, { isNew }: { readonly isNew: boolean }): string {
  const why = isNew ? 'is new and was not reviewed' : 'has changed since it was reviewed';
  return `The tool ${tool} of ${server} ${why}; nothing was done. It can be called again once an admin has reviewed it.`;
}

export function beyondReviewLimit(server: string, tool: string, most: number): string {
  return `The tool ${tool} of ${server} is not used, because ${server} has listed more than ${most} names by now; nothing was done.`;
}

/** The position of a definition among several that wait. */
export function variant(index: number, of: number): string {
  return `${index + 1} of ${of}`;
}

export function nothingToReview(server: string): string {
  return `The tools of ${server} that you were shown do not wait for a review any more; nothing was changed.`;
}

export function acceptingFailed(server: string): string {
  return `The review of ${server} could not be saved; nothing was accepted.`;
}

export function reviewingFailed(server: string): string {
  return `The review of ${server} could not be saved; none of its tools are offered.`;
}
