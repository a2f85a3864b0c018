import { dataOf, PageQuery, pageOf, patchOf } from '../../../platform/http/dto.js';
import { Flag, Id, Ignored, OneOf, Optional, Text, Texts, Version } from '../../../platform/http/fields.js';
import { AnyOf, SortBy } from '../../../platform/http/query-fields.js';
import { respond } from '../../../platform/http/respond.js';
import { Instant, LANGUAGE_TAG } from '../../../platform/http/trade-fields.js';
import { LIVE_TRIGGERS, type LiveTrigger, type Trigger, TRIGGERS } from '../targets/reminder-trigger.js';
import {
  MESSAGE_CATEGORIES,
  type MessageCategory,
  type MessageTemplate,
  TEMPLATE_CHANNELS,
  TEMPLATE_STATUSES,
  type TemplateStatus,
} from './message-template.entity.js';
import { MAX_SUBJECT, MAX_TEXT } from './template-text.js';

const SLUG = /^[a-z0-9]+(-[a-z0-9]+)*$/;
const MAX_SLUG = 60;

class TemplateTexts {
  /**
   * Subject line with placeholders.
   * @example "Balance due for your trip {{booking.number}}"
   */
  @Text({ max: MAX_SUBJECT })
  subject: string;

  /**
   * Plain text with placeholders: `customer.name`, `booking.number`, `booking.departureDate`, `booking.returnDate`,
   * `booking.tour`, `booking.start`, `booking.meetingPoint` (of the first service with a departure), `booking.total`, `booking.balance`,
   * `booking.balanceDueDate`, `company.name`, `company.email`, `company.phone`, `company.website`; for payments also `amount`, `dueDate`, `bank.holder`, `bank.iban` and
   * `bank.bic`; for `departure_changed` also `formerDepartureDate`; for `booking_cancelled` also `cancellation.fee`,
   * `cancellation.openFee`, `cancellation.refund` and `cancellation.credit`. The text between `{{#items}}` and `{{/items}}` is repeated for
   * each item of the booking, with `item.title`, `item.tour`, `item.date`, `item.start`, `item.meetingPoint` and
   * `item.quantity`; for `departure_changed` also the text between
   * `{{#changes}}` and `{{/changes}}` for each departure that has moved, with `change.title`, `change.start`, `change.formerStart`,
   * `change.meetingPoint` and `change.formerMeetingPoint`. Days and amounts are written in the language.
   * @example "Dear {{customer.name}},\n\n{{amount}} is due on {{dueDate}}."
   */
  @Text({ max: MAX_TEXT, multiline: true })
  text: string;
}

/** A new template: a draft. */
export class CreateMessageTemplate extends TemplateTexts {
  @Ignored()
  id?: undefined;

  /**
   * Name of the template for the stages of rules, the same in all languages. The name of a built-in template replaces its text.
   * @example "balance-due"
   */
  @Text({ max: MAX_SLUG, pattern: SLUG })
  slug: string;

  /**
   * Language of the text.
   * @example "en"
   */
  @Text({ max: 6, pattern: LANGUAGE_TAG })
  language: string;

  /**
   * Event of the rules that use it, which determines its placeholders; without one, staff send it.
   * @example "balance_due"
   */
  @Optional()
  @OneOf(LIVE_TRIGGERS)
  trigger?: LiveTrigger;

  /** `transactional` by default; `marketing` needs the consent of the customer, and is sent by staff only. */
  @Optional()
  @OneOf(MESSAGE_CATEGORIES)
  category?: MessageCategory;
}

/** Changes of a draft; fields that are not sent keep their value. */
export class UpdateMessageTemplate extends patchOf(TemplateTexts) {}

/** Filters and paging of the list of templates. */
export class ListMessageTemplates extends PageQuery {
  /** Only templates with this name. */
  @Optional()
  @Text({ max: MAX_SLUG })
  slug?: string;

  /** Only templates in this language. */
  @Optional()
  @Text({ max: 6, pattern: LANGUAGE_TAG })
  language?: string;

  /** Only templates in one of these statuses. */
  @Optional()
  @AnyOf(TEMPLATE_STATUSES)
  status?: TemplateStatus[];

  /** Only templates of these categories. */
  @Optional()
  @AnyOf(MESSAGE_CATEGORIES)
  category?: MessageCategory[];

  /** Only templates for one of these triggers. */
  @Optional()
  @AnyOf(TRIGGERS)
  trigger?: Trigger[];

  /** Sort field, `-createdAt` by default; a leading `-` means descending order. */
  @Optional()
  @SortBy(['createdAt', 'updatedAt', 'slug'])
  sort?: string;
}

/** One text of a template in one language. */
export class MessageTemplateResponse {
  @Id('mtpl')
  id: string;

  /** Name of the template, the same in all languages. */
  @Text({ max: MAX_SLUG })
  slug: string;

  /** Channel of the messages. */
  @OneOf(TEMPLATE_CHANNELS)
  channel: string;

  /** Language of the text. */
  @Text({ max: 6 })
  language: string;

  /** `marketing` needs the consent of the customer. */
  @OneOf(MESSAGE_CATEGORIES)
  category: MessageCategory;

  /** Event of the rules that use it; null for messages that staff send. */
  @OneOf(TRIGGERS)
  trigger: LiveTrigger | null;

  /** Subject line with placeholders. */
  @Text({ max: MAX_SUBJECT })
  subject: string;

  /** Plain text with placeholders. */
  @Text({ max: MAX_TEXT, multiline: true })
  text: string;

  /** `published`: in use for its language; `retired`: replaced or ended. */
  @OneOf(TEMPLATE_STATUSES)
  status: TemplateStatus;

  /** When it was published; null if it never was. */
  @Instant()
  publishedAt: string | null;

  /** When it was retired; null if it was not. */
  @Instant()
  retiredAt: string | null;

  @Version()
  version: number;

  @Instant()
  createdAt: string;

  @Instant()
  updatedAt: string;
}

/** What a template is previewed with: a booking or sample data. */
export class PreviewMessageTemplate {
  /**
   * Booking whose data is shown; requires `bookings:read`.
   * @example "book_01k0dem000e000000000000001"
   */
  @Optional()
  @Id('book')
  bookingId?: string;

  /** `true` shows invented data instead of a booking's. */
  @Optional()
  @Flag()
  sample?: boolean;

  /** Language of days and amounts; by default the language of the template. */
  @Optional()
  @Text({ max: 6, pattern: LANGUAGE_TAG })
  language?: string;
}

/** A message as the template writes it. */
export class MessageTemplatePreviewResponse {
  /** Subject line of the message. */
  @Text({ max: 500 })
  subject: string;

  /** Plain text of the message. */
  @Text({ max: 20_000, multiline: true })
  text: string;

  /** The same text as an HTML document. */
  @Text({ max: 300_000, multiline: true })
  html: string;

  /** Placeholders and lists of the template that have no value here, and are left out. */
  @Texts({ max: 50, maxLength: 60 })
  missing: string[];
}

export function toMessageTemplate(template: MessageTemplate): MessageTemplateResponse {
  return respond(MessageTemplateResponse, template);
}

export class MessageTemplateEnvelope extends dataOf(MessageTemplateResponse) {}
export class MessageTemplatePage extends pageOf(MessageTemplateResponse) {}
export class MessageTemplatePreviewEnvelope extends dataOf(MessageTemplatePreviewResponse) {}
