import { Injectable } from '@nestjs/common';
import { Listens } from '../../../platform/discovery/listeners.js';
import { Jobs } from '../../../platform/jobs/jobs.js';
import { AccountLinksService, type AccountMail, AccountMailListener } from '../../identity/index.js';
import { type DocumentLanguage, OrganizationService } from '../../organization/index.js';
import { SuppressionsService } from '../suppressions/suppressions.service.js';
import { MessagesService } from '../messages/messages.service.js';
import type { NotificationMessage } from '../messages/notification-message.entity.js';
import { greetingOf } from '../templates/greetings.js';
import { LINK, withLink } from './link-placeholder.js';

export const SEND_MESSAGES = 'notifications.send';

/** A mail that sends a customer or partner the link to a contract. */
export interface ContractMail {
  /** The reference of the contract. */
  contractId: string;
  bookingId: string | null;
  title: string;
  recipientEmail: string;
  recipientName: string | null;
  /** That of the contract. */
  language: string;
  /** Text that staff wrote; null for the default text. */
  subject: string | null;
  message: string | null;
}

/** A mail that informs a customer about a departure: it was called off, or has units for the customer. */
export interface DepartureMail {
  /** Null for a trip that was not booked, and for an offer. */
  bookingId?: string | null;
  customerId?: string | null;
  recipient: string;
  /** Null if it is not known. */
  name: string | null;
  /** Language of the texts. */
  language: DocumentLanguage;
  subject: string;
  /** Texts, or the link to the page of an offer (`OfferLinks`). */
  paragraphs: readonly string[];
}

/** What a mail says about its contract unless staff write something else. */
const CONTRACT: Readonly<Record<DocumentLanguage, string>> = {
  en: 'here is your contract with us.',
  de: 'hier ist Ihr Vertrag mit uns.',
  fr: 'Voici votre contrat avec nous.',
  es: 'Aquí tiene su contrato con nosotros.',
  it: 'ecco il Suo contratto con noi.',
  ro: 'Acesta este contractul dumneavoastră cu noi.',
};

/**
 * Sends mails about accounts, contracts and departures immediately, even in quiet hours; they count towards no limit. The stored message
 * has a placeholder: the link is inserted when the mail server gets the mail. Job payloads contain neither recipient nor text.
 */
@Injectable()
@Listens(AccountMailListener, 10)
export class DirectMailsService extends AccountMailListener {
  constructor(
    private readonly messages: MessagesService,
    private readonly links: AccountLinksService,
    private readonly suppressions: SuppressionsService,
    private readonly jobs: Jobs,
    private readonly organization: OrganizationService,
  ) {
    super();
  }

  override async invited(mail: AccountMail, linkId: string): Promise<void> {
    const company = await this.organization.displayName();
    await this.queue(mail, { linkId, subject: `Your invitation to ${company}` }, [
      `you are invited to work with ${company}. Choose a password to accept the invitation:`,
      LINK,
      'The link works once, for 60 minutes. If you did not expect this invitation, ignore this mail.',
    ]);
  }

  override async passwordResetRequested(mail: AccountMail, linkId: string): Promise<void> {
    await this.queue(mail, { linkId, subject: 'Set a new password' }, [
      'a new password was requested for your account. Set it here:',
      LINK,
      'The link works once, for 60 minutes. A new password ends all sessions and API tokens of the account.',
      'If you did not request it, ignore this mail: your password does not change.',
    ]);
  }

  override async passwordChanged(mail: AccountMail): Promise<void> {
    await this.queue(mail, { linkId: null, subject: 'Your password was changed' }, [
      'the password of your account was changed.',
      'If you did not change it, request a new password at once and inform an owner of the account.',
    ]);
  }

  override async secondFactorActivated(mail: AccountMail): Promise<void> {
    await this.queue(mail, { linkId: null, subject: 'Your second factor is active' }, [
      'from now on, logins to your account need a code of your authenticator app or one of your recovery codes.',
      'If you did not set it up, inform an owner of the account at once.',
    ]);
  }

  override async secondFactorGuessed(mail: AccountMail): Promise<void> {
    await this.queue(mail, { linkId: null, subject: 'Wrong codes for your account' }, [
      'several wrong codes in a row were sent for your account, together with its password.',
      'If it was not you, somebody knows your password: change it at once and inform an owner of the account.',
      'After ten wrong codes, codes of your authenticator app are rejected for an hour, and you must choose a new password.',
      'Your recovery codes and the devices from which you have logged in keep working.',
    ]);
  }

  override async secondFactorRemoved(mail: AccountMail): Promise<void> {
    await this.queue(mail, { linkId: null, subject: 'Your second factor was removed' }, [
      'the second factor of your account was removed: logins no longer need a code.',
      'If you did not expect this, change your password at once and inform an owner of the account.',
    ]);
  }

  override async webhookDisabled(
    mail: AccountMail,
    { host, reason }: { host: string; reason: 'failing' | 'gone' },
  ): Promise<void> {
    const cause = reason === 'gone' ? 'it answered that it no longer exists (410)' : 'a delivery failed for 72 hours';
    await this.queue(mail, { linkId: null, subject: `Webhook endpoint disabled: ${host}` }, [
      `events are no longer sent to ${host}, because ${cause}.`,
      'Correct the receiver, activate the endpoint, and request a replay of the events that it missed. Events are kept for 30 days.',
    ]);
  }

  /**
   * Stores the mail in the running transaction. The mail is sent if and only if that commits. Throws 409 `recipient_suppressed`.
   */
  async sendContract({ contractId, title, recipientEmail, recipientName, ...written }: ContractMail): Promise<void> {
    await this.suppressions.assertReachable(recipientEmail);
    const language = await this.organization.languageFor(written.language);
    const message = written.message ?? CONTRACT[language];
    await this.messages.queue({
      kind: 'contract',
      contractId,
      bookingId: written.bookingId,
      recipient: recipientEmail,
      subject: written.subject ?? title,
      text: [greetingOf(recipientName, language), message, LINK, await this.organization.displayName()].join('\n\n'),
    });
    await this.jobs.add(SEND_MESSAGES, {}, { key: `${SEND_MESSAGES}:${contractId}` });
  }

  /** Stores the mail in the running transaction and returns its id. The mail is sent if and only if that commits. */
  async sendAboutDeparture(
    kind: 'call_off' | 'waiting_offer',
    { name, language, paragraphs, ...mail }: DepartureMail,
  ): Promise<string> {
    const text = [greetingOf(name, language), ...paragraphs, await this.organization.displayName()].join('\n\n');
    const id = await this.messages.queue({ kind, ...mail, text });
    await this.jobs.add(SEND_MESSAGES, {}, { key: `${SEND_MESSAGES}:${id}` });
    return id;
  }

  /** Returns the text with its link; null if the link was used, replaced or revoked, or has expired. */
  async complete({ text, accountLinkId }: NotificationMessage): Promise<{ text: string | null; link: string | null }> {
    if (accountLinkId === null) return { text, link: null };
    const link = await this.links.findUrl(accountLinkId);
    return { text: link === null ? null : withLink(text, link), link };
  }

  private async queue(
    { recipient, name }: AccountMail,
    { linkId, subject }: { linkId: string | null; subject: string },
    paragraphs: readonly string[],
  ): Promise<void> {
    // A name must not look like the link's placeholder.
    const greeting = `Dear ${name.replaceAll(LINK, '')},`;
    const text = [greeting, ...paragraphs, await this.organization.displayName()].join('\n\n');
    const id = await this.messages.queue({ kind: 'account', recipient, subject, text, accountLinkId: linkId });
    await this.jobs.add(SEND_MESSAGES, {}, { key: `${SEND_MESSAGES}:${id}` });
  }
}
