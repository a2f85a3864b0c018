import { Body, Controller, Get, Patch } from '@nestjs/common';
import { RequireScope } from '../../../platform/auth/access.js';
import { type ExpectedVersions, IfMatch } from '../../../platform/http/if-match.js';
import { tagged } from '../../../platform/http/response-headers.js';
import { Mutates } from '../../../platform/idempotency/mutates.js';
import {
  OrganizationSettingsEnvelope,
  toOrganizationSettings,
  UpdateOrganizationSettings,
} from './organization-settings.dto.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { OrganizationSettingsService } from './organization-settings.service.js';

@ApiGroup('Organization')
@Controller('/v1/admin/organization/settings')
export class OrganizationSettingsController {
  constructor(private readonly settings: OrganizationSettingsService) {}

  /**
   * Get the settings of the organization
   *
   * @remarks Returns the defaults until a setting is changed. Settings of accounting are part of the accounting settings.
   */
  @Get()
  @RequireScope('organization:read')
  async get(): Promise<OrganizationSettingsEnvelope> {
    const settings = await this.settings.get();
    return tagged(settings, { data: toOrganizationSettings(settings) });
  }

  /**
   * Update the settings of the organization
   *
   * @remarks Changes only the settings that are sent. They apply from now on.
   */
  @Patch()
  @RequireScope('organization:write')
  @Mutates('organization.settings.update')
  async update(
    @Body() body: UpdateOrganizationSettings,
    @IfMatch() expected: ExpectedVersions,
  ): Promise<OrganizationSettingsEnvelope> {
    const settings = await this.settings.update(body, expected);
    return tagged(settings, { data: toOrganizationSettings(settings) });
  }
}
