import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { Rows } from '../../../platform/database/rows.js';
import { Listeners } from '../../../platform/discovery/listeners.js';
import { notFound, unprocessable } from '../../../platform/errors/app-error.js';
import { OrganizationService } from '../../organization/index.js';
import { type BookingFacts, BookingFactsSource } from '../targets/booking-facts.js';
import { ReaderLanguagesService } from '../targets/reader-languages.service.js';
import { type DueTarget, findSource } from '../targets/reminder-source.js';
import type { LiveTrigger } from '../targets/reminder-trigger.js';
import { builtInOf, reminderMail, slugOf } from './built-in-mails.js';
import { type MessageCategory, MessageTemplate } from './message-template.entity.js';
import { type CompanyFacts, type MailFacts, placeholdersOf, sampleFacts, valuesOf } from './template-placeholders.js';
import { oneLine, OutputTooLong, render } from './template-text.js';

/** In characters. A longer subject is cut. */
const MAX_SUBJECT_LINE = 250;

/** The text of a reminder: a published one with the facts of its booking, or the built-in one. */
export type MailTemplate =
  { kind: 'built_in'; trigger: LiveTrigger } | { kind: 'published'; template: MessageTemplate };

export interface ComposedMail {
  subject: string;
  text: string;
  /** Null for a built-in text. */
  templateId: string | null;
}

/** Chooses the text of a mail in the language of its reader, and writes the values into it. */
@Injectable()
export class MailComposer {
  private readonly templates: Rows<MessageTemplate>;

  constructor(
    private readonly database: Database,
    private readonly organization: OrganizationService,
    private readonly languages: ReaderLanguagesService,
    private readonly listeners: Listeners,
  ) {
    this.templates = database.rows(MessageTemplate);
  }

  /**
   * Returns the published text of this name (by default the name of the trigger) for a reminder of the booking. Its language is the
   * first one with a text: of the booking, of its customer, of the company, English. Without any, the built-in text; if there is none
   * of this name, the first published text in another language, because a rule with a text must not skip the reminder. Null
   * without a text.
   */
  async choose(trigger: LiveTrigger, name: string | null, bookingId: string): Promise<MailTemplate | null> {
    const slug = name ?? slugOf(trigger);
    const texts = await this.templates.read({
      name: 'message-templates-published',
      text: `select ${this.templates.columns('template')} from message_templates template
        where template.status = 'published' and template.slug = $1 and template.trigger = $2
        order by template.language`,
      values: [slug, trigger],
    });
    const builtIn = builtInOf(slug);
    const [first] = texts;
    if (first) {
      const template = inFirst(texts, await this.languages.ofBooking(bookingId)) ?? (builtIn ? null : first);
      if (template) return { kind: 'published', template };
    }
    return builtIn && { kind: 'built_in', trigger: builtIn };
  }

  /** Returns null if the message would be too long. */
  async compose(chosen: MailTemplate, target: DueTarget): Promise<ComposedMail | null> {
    if (chosen.kind === 'built_in') {
      const [language] = await this.languages.ofBooking(target.bookingId);
      const facts = { target, company: await this.company() };
      return {
        ...reminderMail(chosen.trigger, facts, await this.organization.languageFor(language)),
        templateId: null,
      };
    }
    const { template } = chosen;
    const booking = await this.factsOf(target.bookingId, template.language);
    const { customerName } = target;
    const facts = { customerName, booking, target, company: await this.company() };
    try {
      const { subject, text } = this.write(template, facts, template.language);
      return { subject, text, templateId: template.id };
    } catch (error) {
      if (error instanceof OutputTooLong) return null;
      throw error;
    }
  }

  /**
   * Writes the message for a booking, or with sample data. Throws 404 for an unknown booking, and
   * 422 `message_too_long`.
   */
  async preview(template: MessageTemplate, bookingId: string | null, language: string) {
    const company = await this.company();
    if (bookingId === null) return this.write(template, sampleFacts(company), language);
    const booking = await this.factsOf(bookingId, language);
    if (!booking) throw notFound({ field: 'bookingId' });
    const target = await this.targetOf(bookingId, template.trigger);
    const { customerName } = booking;
    return this.writeBounded(template, { customerName, booking, target, company }, language);
  }

  /**
   * Writes a message that staff send. Throws 404 for an unknown template or record, and 422 `template_not_usable`,
   * `placeholder_missing` or `message_too_long`.
   */
  async composeManual(
    templateId: string,
    record: { bookingId: string | null; customerId: string | null },
  ): Promise<ComposedMail & { category: MessageCategory }> {
    const template = await this.templates.get(templateId, { field: 'templateId' });
    const { status, trigger, category, language } = template;
    if (status !== 'published' || trigger !== null) {
      const details = { field: 'templateId', status, trigger };
      throw unprocessable('template_not_usable', 'Only a published template without a trigger is sent', details);
    }
    const facts = { ...(await this.assertRecord(record, language)), target: null, company: await this.company() };
    const { missing, ...mail } = await this.writeBounded(template, facts, language);
    if (missing.length > 0) {
      const details = { field: 'templateId', missing };
      throw unprocessable('placeholder_missing', 'Placeholders of the template have no value for this record', details);
    }
    return { ...mail, templateId, category };
  }

  /** Returns the facts of a booking or the name of a customer. Throws 404. */
  async assertRecord(
    { bookingId, customerId }: { bookingId: string | null; customerId: string | null },
    language: string | null = null,
  ) {
    if (bookingId !== null) {
      const booking = await this.factsOf(bookingId, language);
      if (!booking) throw notFound({ field: 'bookingId' });
      return { customerName: booking.customerName, booking };
    }
    const [customer] = await this.database.query<{ customerName: string }>(
      `select display_name as "customerName" from customers where id = $1`,
      [customerId],
    );
    if (!customer) throw notFound({ field: 'customerId' });
    return { ...customer, booking: null };
  }

  /** Throws 422 `message_too_long`. */
  private async writeBounded(template: MessageTemplate, facts: MailFacts, language: string) {
    try {
      return this.write(template, facts, language);
    } catch (error) {
      if (!(error instanceof OutputTooLong)) throw error;
      const field = facts.booking === null ? 'customerId' : 'bookingId';
      throw unprocessable('message_too_long', 'The message would be longer than 20,000 characters', { field });
    }
  }

  private write({ trigger, subject, text }: MessageTemplate, facts: MailFacts, language: string) {
    const [placeholders, values] = [placeholdersOf(trigger), valuesOf(facts, language)];
    const [heading, body] = [render(subject, values, placeholders), render(text, values, placeholders)];
    const { name } = facts.company;
    return {
      subject: [...oneLine(heading.text)].slice(0, MAX_SUBJECT_LINE).join('') || name,
      text: body.text.trim() || name,
      missing: [...new Set([...heading.missing, ...body.missing])],
    };
  }

  /** The first open target of the booking for the trigger; null if there is none. */
  private async targetOf(bookingId: string, trigger: LiveTrigger | null): Promise<DueTarget | null> {
    const source = trigger && findSource(this.listeners, trigger);
    if (!source) return null;
    const [target] = await source.ofBookings([bookingId], [trigger]);
    return target ? source.read(trigger, target.targetId) : null;
  }

  private async factsOf(bookingId: string, language: string | null): Promise<BookingFacts | null> {
    const [source] = this.listeners.all(BookingFactsSource);
    return (await source?.read(bookingId, language)) ?? null;
  }

  private async company(): Promise<CompanyFacts> {
    const profile = await this.organization.getProfile();
    const { email, phone, website, bankAccounts } = profile;
    return { name: profile.displayName(), email, phone, website, bankAccounts };
  }
}

/** Each language, then the one without its region (`de-AT`, `de`). */
function inFirst(texts: readonly MessageTemplate[], languages: readonly string[]): MessageTemplate | null {
  const accepted = languages.flatMap((language) => [language, language.split('-', 1)[0] ?? language]);
  for (const language of accepted) {
    const found = texts.find((text) => text.language.toLowerCase() === language.toLowerCase());
    if (found) return found;
  }
  return null;
}
