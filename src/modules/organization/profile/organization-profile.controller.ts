import { Body, Controller, Delete, Get, Patch, Put, StreamableFile } from '@nestjs/common';
import { ApiOkResponse, ApiProduces } from '@nestjs/swagger';
import { RequireScope } from '../../../platform/auth/access.js';
import { type ExpectedVersions, IfMatch } from '../../../platform/http/if-match.js';
import { NoBody } from '../../../platform/http/no-body.js';
import { RawBody } from '../../../platform/http/body-parsers.js';
import { setResponseHeader, tagged } from '../../../platform/http/response-headers.js';
import { BodyExample, Refuses } from '../../../platform/http/route-errors.js';
import { Mutates } from '../../../platform/idempotency/mutates.js';
import { LimitOperation } from '../../../platform/admission/request-shares.js';
import { MAX_LOGO_BYTES } from './logo-image.js';
import { LOGO_TYPES } from './issuer-copy.js';
import { OrganizationProfileEnvelope, toOrganizationProfile } from './organization-profile-response.dto.js';
import { UpdateOrganizationProfile } from './organization-profile.dto.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { OrganizationService } from './organization.service.js';

const EXTENSIONS = { 'image/png': 'png', 'image/jpeg': 'jpg' } as const;

@ApiGroup('Organization')
@Controller('/v1/admin/organization')
export class OrganizationProfileController {
  constructor(private readonly organization: OrganizationService) {}

  /**
   * Get the profile of the organization
   *
   * @remarks Returns the company as documents show it. The first start fills it from the environment; afterwards only
   * this resource counts.
   */
  @Get('profile')
  @RequireScope('organization:read')
  async get(): Promise<OrganizationProfileEnvelope> {
    const profile = await this.organization.getProfile();
    return tagged(profile, { data: toOrganizationProfile(profile) });
  }

  /**
   * Update the profile of the organization
   *
   * @remarks Changes only the fields that are sent. Documents that are issued from now on show the new values; issued
   * documents keep their copy.
   */
  @Patch('profile')
  @RequireScope('organization:write')
  @Mutates('organization.profile.update')
  @BodyExample({
    legalName: 'Alpine Tours GmbH',
    address: 'Seestrasse 1\n6003 Luzern',
    country: 'CH',
    bankAccounts: [{ holder: 'Alpine Tours GmbH', iban: 'CH9300762011623852957', currency: 'CHF' }],
    footerText: { en: 'Thank you for travelling with us.' },
  })
  async update(
    @Body() body: UpdateOrganizationProfile,
    @IfMatch() expected: ExpectedVersions,
  ): Promise<OrganizationProfileEnvelope> {
    const profile = await this.organization.updateProfile(body, expected);
    return tagged(profile, { data: toOrganizationProfile(profile) });
  }

  /**
   * Replace the logo
   *
   * @remarks The body is the file itself, PNG or JPEG, up to 512 KiB; its type is detected from its content. Other files are
   * rejected, as are images with more than 4,096 pixels a side or 4 megapixels, truncated images, and images followed by other
   * bytes. Documents issued from now on show the new logo.
   */
  @Put('logo')
  @RequireScope('organization:write')
  @Mutates('organization.logo.replace')
  @Refuses({ 422: ['file_type_refused', 'image_too_large', 'image_damaged'] })
  @LimitOperation({ name: 'organization-logo', maxConcurrent: 2 })
  async replaceLogo(
    @RawBody({ types: LOGO_TYPES, maxBytes: MAX_LOGO_BYTES }) bytes: Buffer,
    @IfMatch() expected: ExpectedVersions,
  ): Promise<OrganizationProfileEnvelope> {
    const profile = await this.organization.replaceLogo(bytes, expected);
    return tagged(profile, { data: toOrganizationProfile(profile) });
  }

  /**
   * Download the logo
   *
   * @remarks Returns the file as it was sent, as an attachment.
   */
  @Get('logo')
  @RequireScope('organization:read')
  @ApiProduces(...LOGO_TYPES)
  @ApiOkResponse({ description: 'The bytes of the logo', schema: { type: 'string', format: 'binary' } })
  async downloadLogo(): Promise<StreamableFile> {
    const { logo, file } = await this.organization.openLogo();
    setResponseHeader('Cache-Control', 'private, no-store');
    return new StreamableFile(file.stream, {
      type: logo.type,
      disposition: `attachment; filename="logo.${EXTENSIONS[logo.type]}"`,
      length: file.sizeBytes,
    });
  }

  /**
   * Remove the logo
   *
   * @remarks Removes the logo and returns the profile. Documents issued from now on show no logo; issued documents keep theirs.
   */
  @Delete('logo')
  @RequireScope('organization:write')
  @Mutates('organization.logo.remove')
  async removeLogo(@IfMatch() expected: ExpectedVersions, @NoBody() _body: null): Promise<OrganizationProfileEnvelope> {
    const profile = await this.organization.removeLogo(expected);
    return tagged(profile, { data: toOrganizationProfile(profile) });
  }
}
