import type { Outcome } from './mail-sender.js';

/** Replaces the link in stored texts: a reader of the stored text must not be able to use the link. */
export const LINK = '{{link}}';

/** Returns the text to send. */
export function withLink(text: string, link: string): string {
  return text.replaceAll(LINK, () => link);
}

/** Returns the outcome to store, without the link: a mail server may quote the mail in its error. */
export function withoutLink(outcome: Outcome, link: string | null): Outcome {
  if (link === null || !('error' in outcome)) return outcome;
  const token = link.slice(Math.max(link.lastIndexOf('='), link.lastIndexOf('/')) + 1);
  return { ...outcome, error: outcome.error.replaceAll(link, LINK).replaceAll(token, LINK) };
}
