import { Injectable } from '@nestjs/common';
import { assertScope } from '../../../platform/auth/access.js';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { filterRows } from '../../../platform/database/filter-rows.js';
import { make, type Rows } from '../../../platform/database/rows.js';
import { sortRows } from '../../../platform/database/sort-rows.js';
import { conflict, invalidField } from '../../../platform/errors/app-error.js';
import { mapConstraint } from '../../../platform/errors/database-errors.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { assertVersion, type ExpectedVersions } from '../../../platform/http/if-match.js';
import { newId } from '../../../platform/ids/id.js';
import {
  ActionLedger,
  assertUnchangedSince,
  byVersion,
  type RecordedAction,
  Reverses,
  type ReversalResult,
  Undoes,
  UndoesItself,
} from '../../action-ledger/index.js';
import { isBuiltIn } from './built-in-mails.js';
import { MailComposer } from './mail-composer.js';
import {
  type CreateMessageTemplate,
  type ListMessageTemplates,
  type MessageTemplatePreviewResponse,
  type PreviewMessageTemplate,
  UpdateMessageTemplate,
} from './message-template.dto.js';
import { MessageTemplate } from './message-template.entity.js';
import { placeholdersOf } from './template-placeholders.js';
import { checkTemplate, htmlOf } from './template-text.js';

mapConstraint('message_templates_published', () =>
  conflict('template_published', 'Another text of this template is published in this language'),
);

/** Manages the texts of messages, with a version of each text for each change after its publication. */
@Injectable()
export class MessageTemplatesService {
  private readonly rows: Rows<MessageTemplate>;

  constructor(
    private readonly database: Database,
    private readonly composer: MailComposer,
    private readonly ledger: ActionLedger,
    private readonly clock: Clock,
  ) {
    this.rows = database.rows(MessageTemplate);
  }

  async create(input: CreateMessageTemplate, id = newId('mtpl')): Promise<MessageTemplate> {
    const { category = 'transactional', trigger = null } = input;
    if (category === 'marketing' && trigger !== null) {
      throw invalidField('category', 'A template with a trigger must be transactional', 'not_applicable');
    }
    const fixed = { id, category, trigger, channel: 'email', status: 'draft', createdAt: this.clock.now() } as const;
    const template = make(MessageTemplate, { ...input, ...fixed });
    assertPlaceholders(template);
    return this.database.transaction(async () => {
      if (await this.hasOtherTrigger(template)) {
        throw invalidField('trigger', 'Texts with this slug have another trigger', 'not_applicable');
      }
      await this.rows.insert(template);
      this.record('create', template, null);
      return template;
    });
  }

  async list(query: ListMessageTemplates): Promise<{ rows: MessageTemplate[]; total: number }> {
    const found = this.rows.query('template');
    if (query.slug !== undefined) found.andWhere('template.slug = :slug', { slug: query.slug });
    if (query.language !== undefined) found.andWhere('template.language = :language', { language: query.language });
    filterRows(found, 'template.status', query.status);
    filterRows(found, 'template.category', query.category);
    filterRows(found, 'template.trigger', query.trigger);
    sortRows(found, query.sort ?? '-createdAt');
    return this.rows.page(found, pageBounds(query));
  }

  async get(id: string): Promise<MessageTemplate> {
    return this.rows.get(id);
  }

  @UndoesItself('notifications.template.update', UpdateMessageTemplate)
  async update(id: string, changes: UpdateMessageTemplate, expected: ExpectedVersions): Promise<MessageTemplate> {
    return this.change(id, expected, 'update', async (template) => {
      template.change(changes, this.clock.now());
      assertPlaceholders(template);
    });
  }

  /** The text that was published in the language until now is retired. */
  async publish(id: string, expected: ExpectedVersions): Promise<MessageTemplate> {
    return this.database.transaction(async () => {
      const template = await this.rows.lock(id);
      assertVersion(expected, template);
      const before = template.auditImage();
      template.publish(this.clock.now());
      const { slug, language } = template;
      const replaced = await this.rows.findBy({ slug, language, status: 'published' });
      // Rows from before the rule of one trigger per slug.
      if (replaced && replaced.trigger !== template.trigger) throw triggerConflict();
      if (replaced) await this.retireReplaced(replaced.id);
      await this.rows.update(template);
      const after = { ...template.auditImage(), replacedId: replaced?.id ?? null };
      this.ledger.record('notifications.template.publish', { ...subjectOf(template), before, after });
      return template;
    });
  }

  /** Also reverses the creation. Throws 409 `template_in_use` if an enabled rule would have no text without it. */
  @Undoes('notifications.template.create', { effect: 'notifications.template.retire', values: byVersion })
  async retire(id: string, expected: ExpectedVersions): Promise<MessageTemplate> {
    return this.change(id, expected, 'retire', async (template) => {
      if (template.status === 'published') await this.assertUnused(template);
      template.retire(this.clock.now());
    });
  }

  /** Retires the text, and publishes the one that it replaced again. */
  @Reverses('notifications.template.publish', { effect: 'notifications.template.retire' })
  async reversePublication(entry: RecordedAction): Promise<ReversalResult> {
    const template = await this.rows.lock(entry.subjectId);
    assertUnchangedSince(entry, template);
    const replacedId = entry.after?.['replacedId'];
    const replaced = typeof replacedId === 'string' ? await this.rows.lock(replacedId) : null;
    if (!replaced) await this.assertUnused(template);
    const before = template.auditImage();
    template.retire(this.clock.now());
    await this.rows.update(template);
    if (replaced) {
      const retired = replaced.auditImage();
      replaced.restore(this.clock.now());
      await this.rows.update(replaced);
      const after = replaced.auditImage();
      this.ledger.record('notifications.template.publish', { ...subjectOf(replaced), before: retired, after });
    }
    return { before, after: template.auditImage() };
  }

  @Reverses('notifications.template.retire', { effect: 'notifications.template.publish' })
  async reverseRetirement(entry: RecordedAction): Promise<ReversalResult> {
    const template = await this.rows.lock(entry.subjectId);
    assertUnchangedSince(entry, template);
    if (await this.hasOtherTrigger(template)) throw triggerConflict();
    const before = template.auditImage();
    template.restore(this.clock.now());
    await this.rows.update(template);
    return { before, after: template.auditImage() };
  }

  /** Shows the message for a booking or for sample data, and changes nothing. */
  async preview(
    id: string,
    { bookingId, sample = false, language }: PreviewMessageTemplate,
  ): Promise<MessageTemplatePreviewResponse> {
    const template = await this.rows.get(id);
    if (bookingId !== undefined && sample) {
      throw invalidField('sample', 'Only one of bookingId and sample is allowed', 'not_applicable');
    }
    if (bookingId === undefined && !sample)
      throw invalidField('bookingId', 'bookingId or sample is required', 'required');
    if (bookingId !== undefined) assertScope('bookings:read');
    const mail = await this.composer.preview(template, bookingId ?? null, language ?? template.language);
    return { ...mail, html: htmlOf(mail.text) };
  }

  private async change(
    id: string,
    expected: ExpectedVersions,
    verb: 'update' | 'retire',
    change: (template: MessageTemplate) => Promise<void>,
  ): Promise<MessageTemplate> {
    return this.database.transaction(async () => {
      const template = await this.rows.lock(id);
      assertVersion(expected, template);
      const before = template.auditImage();
      await change(template);
      await this.rows.update(template);
      this.record(verb, template, before);
      return template;
    });
  }

  private async retireReplaced(id: string): Promise<void> {
    const replaced = await this.rows.lock(id);
    if (replaced.status !== 'published') return;
    const before = replaced.auditImage();
    replaced.retire(this.clock.now());
    await this.rows.update(replaced);
    this.record('retire', replaced, before);
  }

  /**
   * Returns whether a draft or published text of the slug has another trigger. A rule finds its text by slug and trigger, and the
   * publication of a text replaces the one with its slug, so these have one trigger. Locks the slug until the transaction ends,
   * so that parallel creations see each other.
   */
  private async hasOtherTrigger({ id, slug, trigger }: MessageTemplate): Promise<boolean> {
    await this.database.query('select pg_advisory_xact_lock(hashtextextended($1, 2203))', [slug]);
    const [other] = await this.database.query(
      `select from message_templates
       where slug = $1 and id <> $2 and status <> 'retired' and trigger is distinct from $3 limit 1`,
      [slug, id, trigger],
    );
    return other !== undefined;
  }

  /** A built-in text, and the text in another language, take its place. */
  private async assertUnused({ id, slug, trigger }: MessageTemplate): Promise<void> {
    if (isBuiltIn(slug, trigger)) return;
    const rules = await this.database.query<{ id: string }>(
      `select distinct rule.id from reminder_stage_channels channel
       join reminder_stages stage on stage.id = channel.stage_id join reminder_rules rule on rule.id = stage.rule_id
       where rule.enabled and coalesce(channel.config ->> 'templateId', channel.config ->> 'templateSlug') = $1
         and not exists (
           select from message_templates other
           where other.slug = $1 and other.status = 'published' and other.id <> $2 and other.trigger is not distinct from $3)
       order by rule.id limit 20`,
      [slug, id, trigger],
    );
    if (rules.length > 0) {
      const ruleIds = rules.map((rule) => rule.id);
      throw conflict('template_in_use', 'Enabled reminder rules use the template', { ruleIds });
    }
  }

  private record(verb: 'create' | 'update' | 'retire', template: MessageTemplate, before: object | null): void {
    this.ledger.record(`notifications.template.${verb}`, {
      ...subjectOf(template),
      before,
      after: template.auditImage(),
    });
  }
}

function assertPlaceholders({ trigger, subject, text }: MessageTemplate): void {
  const placeholders = placeholdersOf(trigger);
  // A subject is one line, so lists have no place in it.
  checkTemplate(subject, { ...placeholders, lists: {} }, 'subject');
  checkTemplate(text, placeholders, 'text');
}

function triggerConflict() {
  return conflict('template_published', 'Texts with this slug have another trigger');
}

function subjectOf({ id }: MessageTemplate) {
  return { subjectType: 'message_template', subjectId: id };
}
