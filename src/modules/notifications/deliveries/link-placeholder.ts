import type { Outcome } from './mail-sender.js';

/** Stands for the link in stored texts: who can read a message must not be able to use its link. */
export const LINK = '{{link}}';

/** The text as it is sent. */
export function withLink(text: string, link: string): string {
  return text.replaceAll(LINK, () => link);
}

/** The outcome as it is stored: a mail server may quote the mail in its error. */
export function withoutLink(outcome: Outcome, link: string | null): Outcome {
  if (link === null || !('error' in outcome)) return outcome;
  const token = link.slice(link.lastIndexOf('=') + 1);
  return { ...outcome, error: outcome.error.replaceAll(link, LINK).replaceAll(token, LINK) };
}
