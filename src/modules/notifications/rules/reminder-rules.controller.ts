import { Body, Controller, Get, Patch, Post, Query } from '@nestjs/common';
import { RequireScope } from '../../../platform/auth/access.js';
import { created, tagged } from '../../../platform/http/response-headers.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { type ExpectedVersions, IfMatch } from '../../../platform/http/if-match.js';
import { PathId } from '../../../platform/http/path-id.js';
import { Mutates } from '../../../platform/idempotency/mutates.js';
import { BodyExample } from '../../../platform/http/route-errors.js';
import {
  ComposeReminderRule,
  ListReminderRules,
  ReminderRuleEnvelope,
  ReminderRulePage,
  ReminderRuleResponse,
  toReminderRule,
  toReminderRuleSummary,
  UpdateReminderRule,
} from './reminder-rule.dto.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { ReminderRulesService } from './reminder-rules.service.js';

const PATH = '/v1/admin/notifications/reminder-rules';

@ApiGroup('Notifications')
@Controller(PATH)
export class ReminderRulesController {
  constructor(private readonly rules: ReminderRulesService) {}

  /**
   * Create a reminder rule with its stages
   *
   * @remarks Creates a rule, its stages and their channels in one transaction. If the rule is enabled, reminders for existing
   * installments, invoices and bookings are planned in the background; `planning` shows the progress. Settings that are stored
   * but not sent as written are listed in `warnings`. Duplicate positions are rejected. The stages cannot be changed later.
   */
  @Post('compose')
  @RequireScope('notifications:write')
  @Mutates('notifications.reminder_rule.compose')
  async compose(@Body() body: ComposeReminderRule): Promise<ReminderRuleResponse> {
    const composed = await this.rules.compose(body);
    return created(`${PATH}/${composed.rule.id}`, composed.rule, toReminderRule(composed));
  }

  /**
   * List reminder rules
   *
   * @remarks Returns a page of rules without stages, newest first unless `sort` is given. `search` matches part of the
   * name, ignoring case.
   */
  @Get()
  @RequireScope('notifications:read')
  async list(@Query() query: ListReminderRules): Promise<ReminderRulePage> {
    const { rows, total } = await this.rules.list(query);
    return { data: rows.map(toReminderRuleSummary), total, ...pageBounds(query) };
  }

  /**
   * Get a reminder rule
   *
   * @remarks Returns the rule with its stages, the settings that are not sent as written (`warnings`), and the progress
   * of planning.
   */
  @Get(':id')
  @RequireScope('notifications:read')
  async get(@PathId('rrul') id: string): Promise<ReminderRuleEnvelope> {
    const details = await this.rules.get(id);
    return tagged(details.rule, { data: toReminderRule(details) });
  }

  /**
   * Update a reminder rule
   *
   * @remarks Renames, enables or disables a rule. Disabling cancels its planned reminders and keeps the history.
   * Enabling plans reminders again in the background. To use other stages, create another rule.
   */
  @Patch(':id')
  @RequireScope('notifications:write')
  @Mutates('notifications.reminder_rule.update')
  @BodyExample({ enabled: false })
  async update(
    @PathId('rrul', 'id', 2) id: string,
    @Body() body: UpdateReminderRule,
    @IfMatch() expected: ExpectedVersions,
  ): Promise<ReminderRuleEnvelope> {
    const updated = await this.rules.update(id, body, expected);
    return tagged(updated.rule, { data: toReminderRule(updated) });
  }
}
