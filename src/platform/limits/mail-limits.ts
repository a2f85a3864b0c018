import { Injectable } from '@nestjs/common';
import { currentActor } from '../context/request-context.js';
import { RateLimits } from './rate-limits.js';

/** A mail that a request sends. */
interface RequestedMail {
  /** What it is about, such as the id of a contract. */
  readonly subject: string;
  readonly recipient: string;
}

/**
 * Limits the mails that requests send, to prevent that an address is flooded in the name of the organization: about one subject,
 * to one recipient, and of one user with all of its credentials.
 */
@Injectable()
export class MailLimits {
  constructor(private readonly limits: RateLimits) {}

  /** Throws 429 `rate_limited`. What the service sends by itself is not limited. */
  take({ subject, recipient }: RequestedMail): void {
    const { type, principal } = currentActor();
    if (type === 'system') return;
    // The narrowest first: a rejected mail uses up nothing of the others.
    this.limits.take('mails-about-subject', subject);
    this.limits.take('mails-to-recipient', recipient.toLowerCase());
    this.limits.take('mails-of-user', principal);
  }
}
