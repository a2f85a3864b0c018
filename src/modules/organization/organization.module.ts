import { Module } from '@nestjs/common';
import { ActionLedgerModule } from '../action-ledger/index.js';
import { OrganizationDemo } from './organization.demo.js';
import { OrganizationProfileController } from './profile/organization-profile.controller.js';
import { OrganizationService } from './profile/organization.service.js';
import { OrganizationSettingsController } from './settings/organization-settings.controller.js';
import { OrganizationSettingsService } from './settings/organization-settings.service.js';

@Module({
  imports: [ActionLedgerModule],
  controllers: [OrganizationProfileController, OrganizationSettingsController],
  providers: [OrganizationDemo, OrganizationService, OrganizationSettingsService],
  exports: [OrganizationService, OrganizationSettingsService],
})
export class OrganizationModule {}
