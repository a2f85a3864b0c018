import { Body, Controller, Get, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { RequireScope } from '../../../platform/auth/access.js';
import { created, tagged } from '../../../platform/http/answer.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { type ExpectedVersions, IfMatch } from '../../../platform/http/if-match.js';
import { PathId } from '../../../platform/http/path-id.js';
import { Mutates } from '../../../platform/idempotency/mutates.js';
import { BodyExample } from '../../../platform/openapi/errors.js';
import { ComposeReminderRule, ListReminderRules, UpdateReminderRule } from './reminder-rule.dto.js';
import {
  ReminderRuleEnvelope,
  ReminderRulePage,
  ReminderRuleResponse,
  toReminderRule,
  toRuleSummary,
} from './reminder-rule-response.dto.js';
import { ReminderRules } from './reminder-rules.service.js';
import { RuleRows } from './rule-rows.service.js';

const PATH = '/v1/admin/notifications/reminder-rules';

@ApiTags('Notifications')
@Controller(PATH)
export class ReminderRulesController {
  constructor(
    private readonly rules: ReminderRules,
    private readonly rows: RuleRows,
  ) {}

  /** Creates a reminder rule with its stages and their channels; all of it or nothing */
  @Post('compose')
  @RequireScope('notifications:write')
  @Mutates('notifications.reminder_rule.compose')
  async compose(@Body() body: ComposeReminderRule): Promise<ReminderRuleResponse> {
    const composed = await this.rules.compose(body);
    return created(`${PATH}/${composed.rule.id}`, composed.rule, toReminderRule(composed));
  }

  /** Lists reminder rules, newest first */
  @Get()
  @RequireScope('notifications:read')
  async list(@Query() query: ListReminderRules): Promise<ReminderRulePage> {
    const { rules, total } = await this.rows.list(query);
    return { data: rules.map(toRuleSummary), total, ...pageBounds(query) };
  }

  /** Reads a reminder rule with its stages, what of it will not be sent, and how far its planning has come */
  @Get(':id')
  @RequireScope('notifications:read')
  async get(@PathId('rrul') id: string): Promise<ReminderRuleEnvelope> {
    const found = await this.rows.get(id);
    return tagged(found.rule, { data: toReminderRule(found) });
  }

  /** Renames, enables or disables a reminder rule; disabling cancels what it has planned and keeps its history */
  @Patch(':id')
  @RequireScope('notifications:write')
  @Mutates('notifications.reminder_rule.update')
  @BodyExample({ enabled: false })
  async update(
    @PathId('rrul', 'id', 2) id: string,
    @Body() body: UpdateReminderRule,
    @IfMatch() expected: ExpectedVersions,
  ): Promise<ReminderRuleEnvelope> {
    const changed = await this.rules.update(id, body, expected);
    return tagged(changed.rule, { data: toReminderRule(changed) });
  }
}
