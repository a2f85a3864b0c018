import { Body, Controller, Get, HttpCode, Patch, Post, Query } from '@nestjs/common';
import { RequireScope } from '../../../platform/auth/access.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { type ExpectedVersions, IfMatch } from '../../../platform/http/if-match.js';
import { NoBody } from '../../../platform/http/no-body.js';
import { PathId } from '../../../platform/http/path-id.js';
import { created, tagged } from '../../../platform/http/response-headers.js';
import { BodyExample, Refuses } from '../../../platform/http/route-errors.js';
import { ChangesNothing, Mutates } from '../../../platform/idempotency/mutates.js';
import {
  CreateMessageTemplate,
  ListMessageTemplates,
  MessageTemplateEnvelope,
  MessageTemplatePage,
  MessageTemplatePreviewEnvelope,
  PreviewMessageTemplate,
  toMessageTemplate,
  UpdateMessageTemplate,
} from './message-template.dto.js';
import { MessageTemplatesService } from './message-templates.service.js';

const PATH = '/v1/admin/notifications/templates';
const INVALID_TEXT = ['placeholder_unknown', 'section_invalid'];

@ApiGroup('Notifications')
@Controller(PATH)
export class MessageTemplatesController {
  constructor(private readonly templates: MessageTemplatesService) {}

  /**
   * Create a message template
   *
   * @remarks Creates a draft of a text in one language. Stages of reminder rules name the template by its slug (`templateSlug`); a
   * mail gets the published text in the language of the booking, its customer or the company, or in English; without any of these and
   * without a built-in text, a published one in another language. All texts of a slug have the same trigger. A placeholder that the
   * trigger does not have, a list inside another one and a list without its end are rejected, with the member in `path`.
   */
  @Post()
  @RequireScope('notifications:write')
  @Mutates('notifications.template.create')
  @Refuses({ 422: INVALID_TEXT })
  async create(@Body() body: CreateMessageTemplate): Promise<MessageTemplateEnvelope> {
    const template = await this.templates.create(body);
    return created(`${PATH}/${template.id}`, template, { data: toMessageTemplate(template) });
  }

  /**
   * List message templates
   *
   * @remarks Returns a page of texts in all states and languages, newest first unless `sort` is given.
   */
  @Get()
  @RequireScope('notifications:read')
  async list(@Query() query: ListMessageTemplates): Promise<MessageTemplatePage> {
    const { rows, total } = await this.templates.list(query);
    return { data: rows.map(toMessageTemplate), total, ...pageBounds(query) };
  }

  /**
   * Get a message template
   *
   * @remarks Returns the text in any state.
   */
  @Get(':id')
  @RequireScope('notifications:read')
  async get(@PathId('mtpl') id: string): Promise<MessageTemplateEnvelope> {
    const template = await this.templates.get(id);
    return tagged(template, { data: toMessageTemplate(template) });
  }

  /**
   * Update a message template
   *
   * @remarks Changes subject or text of a draft. To change a published text, create another draft with its slug and language.
   */
  @Patch(':id')
  @RequireScope('notifications:write')
  @Mutates('notifications.template.update')
  @BodyExample({ subject: 'Your trip {{booking.number}}' })
  @Refuses({ 409: ['template_immutable'], 422: INVALID_TEXT })
  async update(
    @PathId('mtpl', 'id', 2) id: string,
    @Body() body: UpdateMessageTemplate,
    @IfMatch() expected: ExpectedVersions,
  ): Promise<MessageTemplateEnvelope> {
    const template = await this.templates.update(id, body, expected);
    return tagged(template, { data: toMessageTemplate(template) });
  }

  /**
   * Publish a message template
   *
   * @remarks From now on, mails in this language get the text. The text that was published until now is retired.
   */
  @Post(':id/publication')
  @HttpCode(200)
  @RequireScope('notifications:write')
  @Mutates('notifications.template.publish')
  @Refuses({ 409: ['invalid_transition', 'template_published'] })
  async publish(
    @PathId('mtpl', 'id', 3) id: string,
    @IfMatch() expected: ExpectedVersions,
    @NoBody() _body: null,
  ): Promise<MessageTemplateEnvelope> {
    const template = await this.templates.publish(id, expected);
    return tagged(template, { data: toMessageTemplate(template) });
  }

  /**
   * Retire a message template
   *
   * @remarks Ends a draft or a published text. Rejected if an enabled reminder rule names the template, and neither a built-in text nor
   * a published one in another language remains.
   */
  @Post(':id/retirement')
  @HttpCode(200)
  @RequireScope('notifications:write')
  @Mutates('notifications.template.retire')
  @Refuses({ 409: ['invalid_transition', 'template_in_use'] })
  async retire(
    @PathId('mtpl', 'id', 4) id: string,
    @IfMatch() expected: ExpectedVersions,
    @NoBody() _body: null,
  ): Promise<MessageTemplateEnvelope> {
    const template = await this.templates.retire(id, expected);
    return tagged(template, { data: toMessageTemplate(template) });
  }

  /**
   * Preview a message template
   *
   * @remarks Returns the message that the template, also a draft, writes for a booking or with sample data. `missing` names the
   * placeholders that have no value there. Nothing is sent or changed. A booking requires `bookings:read`.
   */
  @Post(':id/preview')
  @HttpCode(200)
  @RequireScope('notifications:read')
  @ChangesNothing('it writes a message that is not sent')
  @BodyExample({ sample: true })
  @Refuses({ 404: ['not_found'], 422: ['message_too_long'] })
  async preview(
    @PathId('mtpl') id: string,
    @Body() body: PreviewMessageTemplate,
  ): Promise<MessageTemplatePreviewEnvelope> {
    return { data: await this.templates.preview(id, body) };
  }
}
