import { dataOf, patchOf } from '../../../platform/http/dto.js';
import { Flag, Version, Whole } from '../../../platform/http/fields.js';
import { respond } from '../../../platform/http/respond.js';
import { Instant } from '../../../platform/http/trade-fields.js';
import type { OrganizationSettings } from './organization-settings.entity.js';

/** Settings of the organization as a whole. */
class OrganizationSettingsFields {
  /**
   * Minutes after which a step of a trip whose outcome at the provider is unknown ends and the trip is released; 15 by
   * default.
   * @example 15
   */
  @Whole({ min: 1, max: 1_440 })
  unknownStepMinutes: number;

  /**
   * If true, users cannot approve or pay a supplier invoice that they entered or changed; false by default.
   * @example false
   */
  @Flag()
  supplierInvoicesNeedTwoPersons: boolean;

  /**
   * If true, a new departure or allotment of a product without record is rejected with 404; existing ones stay as they are. False
   * by default.
   * @example false
   */
  @Flag()
  productsRequired: boolean;
}

/** The settings to change. */
export class UpdateOrganizationSettings extends patchOf(OrganizationSettingsFields) {}

/** Settings of the organization as a whole. */
export class OrganizationSettingsResponse {
  /** Minutes after which a trip step with an unknown outcome at the provider ends and the trip is released. */
  @Whole({ min: 1, max: 1_440 })
  unknownStepMinutes: number;

  /** Whether users are prevented from approving or paying a supplier invoice that they entered or changed. */
  @Flag()
  supplierInvoicesNeedTwoPersons: boolean;

  /** Whether new departures and allotments need a product with a record. */
  @Flag()
  productsRequired: boolean;

  @Version()
  version: number;

  @Instant()
  createdAt: string;

  @Instant()
  updatedAt: string;
}

export function toOrganizationSettings(settings: OrganizationSettings): OrganizationSettingsResponse {
  return respond(OrganizationSettingsResponse, settings);
}

export class OrganizationSettingsEnvelope extends dataOf(OrganizationSettingsResponse) {}
