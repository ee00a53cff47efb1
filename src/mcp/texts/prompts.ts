/** Why a prompt of a server can't be used. */

import { formatCount } from '../../lib/count.ts';

export function noPrompt(server: string, prompt: string): string {
  return `${server} has no prompt called ${prompt}. /countersign prompt lists those that there are.`;
}

export function promptNotAllowed(server: string, prompt: string): string {
  return `The policy does not allow the prompt ${prompt} of ${server}. Nothing was done.`;
}

export function promptFailed(server: string, prompt: string): string {
  return `The prompt ${prompt} could not be had from ${server}. Nothing was done; try again.`;
}

export function promptEmpty(server: string, prompt: string): string {
  return `The prompt ${prompt} of ${server} is empty. Nothing was done.`;
}

export function promptTooLong(server: string, prompt: string, characters: number): string {
  return `The prompt ${prompt} of ${server} has more than ${formatCount(characters)} characters. Nothing was done.`;
}
