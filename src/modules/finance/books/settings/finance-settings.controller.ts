import { Body, Controller, Get, Put } from '@nestjs/common';
import { RequireScope } from '../../../../platform/auth/access.js';
import { type ExpectedVersions, IfMatch } from '../../../../platform/http/if-match.js';
import { tagged } from '../../../../platform/http/response-headers.js';
import { Refuses } from '../../../../platform/http/route-errors.js';
import { Mutates } from '../../../../platform/idempotency/mutates.js';
import { FinanceSettingsEnvelope, ReplaceFinanceSettings, toFinanceSettings } from './finance-settings.dto.js';
import { ApiGroup } from '../../../../platform/http/api-group.js';
import { FinanceSettingsService } from './finance-settings.service.js';

@ApiGroup('Organization', {
  position: 110,
  description: 'Staff: the company as documents show it, its logo, and settings of the organization and its accounts.',
})
@Controller('/v1/admin/finance/settings')
export class FinanceSettingsController {
  constructor(private readonly settings: FinanceSettingsService) {}

  /**
   * Get the accounting settings
   *
   * @remarks Returns the defaults until the settings have been replaced.
   */
  @Get()
  @RequireScope('finance:read')
  async get(): Promise<FinanceSettingsEnvelope> {
    const settings = await this.settings.get();
    return tagged(settings, { data: toFinanceSettings(settings) });
  }

  /**
   * Replace the accounting settings
   *
   * @remarks Stores all settings; omitted optional members get their defaults. They apply to documents, payments and
   * cancellations from now on. The base currency cannot be changed once a document has a number, a payment is recorded or a
   * supplier invoice was approved.
   */
  @Put()
  @RequireScope('finance:approve')
  @Mutates('finance.settings.replace')
  @Refuses({ 409: ['currency_immutable'] })
  async replace(
    @Body() body: ReplaceFinanceSettings,
    @IfMatch() expected: ExpectedVersions,
  ): Promise<FinanceSettingsEnvelope> {
    const settings = await this.settings.replace(body, expected);
    return tagged(settings, { data: toFinanceSettings(settings) });
  }
}
