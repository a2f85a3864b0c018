import { DataSource } from 'typeorm';
import { Platform1790000000000 } from './src/migrations/1790000000000-platform.js';
import { IdempotencySessions1790000000010 } from './src/migrations/1790000000010-idempotency-sessions.js';
import { ActionLedger1790000000100 } from './src/migrations/1790000000100-action-ledger.js';
import { Distribution1790000000200 } from './src/migrations/1790000000200-distribution.js';
import { Identity1790000000300 } from './src/migrations/1790000000300-identity.js';
import { Finance1790000000400 } from './src/migrations/1790000000400-finance.js';
import { Realtime1790000000800 } from './src/migrations/1790000000800-realtime.js';
import { RealtimeChannelIds1790000000810 } from './src/migrations/1790000000810-realtime-channel-ids.js';
import { Legal1790000000500 } from './src/migrations/1790000000500-legal.js';
import { ConnectVersions1790000002500 } from './src/migrations/1790000002500-connect-versions.js';
import { DiskProbes1790000002600 } from './src/migrations/1790000002600-disk-probes.js';
import { VaultKeyAdministration1790000002510 } from './src/migrations/1790000002510-vault-key-administration.js';
import { FailureLimits1790000002610 } from './src/migrations/1790000002610-failure-limits.js';
import { Trips1790000002000 } from './src/migrations/1790000002000-trips.js';
import { IntegrityReport1790000002010 } from './src/migrations/1790000002010-integrity-report.js';
import { Policies1790000002100 } from './src/migrations/1790000002100-policies.js';
import { BookingTerms1790000002110 } from './src/migrations/1790000002110-booking-terms.js';
import { LedgerReversals1790000002300 } from './src/migrations/1790000002300-ledger-reversals.js';
import { ReclaimedUnits1790000002310 } from './src/migrations/1790000002310-reclaimed-units.js';
import { Vault1790000000700 } from './src/migrations/1790000000700-vault.js';
import { ReferenceData1790000000900 } from './src/migrations/1790000000900-reference-data.js';
import { Connect1790000000600 } from './src/migrations/1790000000600-connect.js';
import { NumberSeries1790000001300 } from './src/migrations/1790000001300-number-series.js';
import { Bookings1790000001000 } from './src/migrations/1790000001000-bookings.js';
import { Commissions1790000001600 } from './src/migrations/1790000001600-commissions.js';
import { Catalog1790000002400 } from './src/migrations/1790000002400-catalog.js';
import { CatalogUpkeep1790000002410 } from './src/migrations/1790000002410-catalog-upkeep.js';
import { CatalogNoVectors1790000002430 } from './src/migrations/1790000002430-catalog-no-vectors.js';
import { CatalogStaleVectors1790000002420 } from './src/migrations/1790000002420-catalog-stale-vectors.js';
import { CommissionLine } from './src/modules/finance/commissions/commission-line.entity.js';
import { CatalogSynonym } from './src/modules/catalog/synonyms/synonym.entity.js';
import { Booking } from './src/modules/bookings/bookings/booking.entity.js';
import { BookingItem } from './src/modules/bookings/bookings/booking-item.entity.js';
import { OverdueSchedules1790000001110 } from './src/migrations/1790000001110-overdue-schedules.js';
import { PaymentPlans1790000001100 } from './src/migrations/1790000001100-payment-plans.js';
import { Invoices1790000001400 } from './src/migrations/1790000001400-invoices.js';
import { InvoicePayments1790000001450 } from './src/migrations/1790000001450-invoice-payments.js';
import { Payments1790000001200 } from './src/migrations/1790000001200-payments.js';
import { Facilities1790000001700 } from './src/migrations/1790000001700-facilities.js';
import { Allotments1790000001900 } from './src/migrations/1790000001900-allotments.js';
import { Departures1790000001800 } from './src/migrations/1790000001800-departures.js';
import { RenditionJobs1790000002620 } from './src/migrations/1790000002620-rendition-jobs.js';
import { Renditions1790000001500 } from './src/migrations/1790000001500-renditions.js';
import { ClientSecret } from './src/modules/connect/client-secrets/client-secret.entity.js';
import { ConnectorProvider } from './src/modules/connect/connector-providers/connector-provider.entity.js';
import { OAuthClient } from './src/modules/connect/oauth-clients/oauth-client.entity.js';
import { OperatorGrant } from './src/modules/connect/operators/operator-grant.entity.js';
import { Operator } from './src/modules/connect/operators/operator.entity.js';
import { Allotment } from './src/modules/distribution/allotments/allotment.entity.js';
import { AllotmentSlot } from './src/modules/distribution/allotments/allotment-slot.entity.js';
import { Channel } from './src/modules/distribution/channels/channel.entity.js';
import { Invoice } from './src/modules/finance/booking-account/invoice.entity.js';
import { InvoiceLine } from './src/modules/finance/invoices/invoice-line.entity.js';
import { InvoiceRendition } from './src/modules/finance/renditions/invoice-rendition.entity.js';
import { NumberSeries } from './src/modules/finance/number-series/number-series.entity.js';
import { PaymentPlan } from './src/modules/finance/booking-account/payment-plan.entity.js';
import { PaymentSchedule } from './src/modules/finance/booking-account/payment-schedule.entity.js';
import { OrganizationPolicy } from './src/modules/finance/payment-policy/payment-policy.entity.js';
import { Payment } from './src/modules/finance/booking-account/payment.entity.js';
import { PaymentAllocation } from './src/modules/finance/booking-account/payment-allocation.entity.js';
import { SupplierInvoice } from './src/modules/finance/supplier-invoices/supplier-invoice.entity.js';
import { SupplierInvoiceLine } from './src/modules/finance/supplier-invoices/supplier-invoice-line.entity.js';
import { Contract } from './src/modules/legal/contracts/contract.entity.js';
import { Policy } from './src/modules/legal/policies/policy.entity.js';
import { PolicyAssignment } from './src/modules/legal/policy-assignments/policy-assignment.entity.js';
import { PolicyVersion } from './src/modules/legal/policy-versions/policy-version.entity.js';
import { ReviewSource } from './src/modules/reference-data/review-sources/review-source.entity.js';
import { ApiToken } from './src/modules/identity/api-tokens/api-token.entity.js';
import { SecurityEvent } from './src/modules/identity/security-events/security-event.entity.js';
import { StaffSession } from './src/modules/identity/sessions/staff-session.entity.js';
import { User } from './src/modules/identity/users/user.entity.js';
import { Departure } from './src/modules/operations/departures/departure.entity.js';
import { Facility } from './src/modules/operations/facilities/facility.entity.js';
import { GroundOperator } from './src/modules/operations/operators/ground-operator.entity.js';
import { TripComponent } from './src/modules/trips/trips/trip-component.entity.js';
import { Trip } from './src/modules/trips/trips/trip.entity.js';
import { KeyVersion } from './src/modules/vault/keys/key-version.entity.js';
import { Vault } from './src/modules/vault/vaults/vault.entity.js';
import { Notifications1790000002200 } from './src/migrations/1790000002200-notifications.js';
import { ReminderRule } from './src/modules/notifications/rules/reminder-rule.entity.js';
import { NotificationMessage } from './src/modules/notifications/messages/notification-message.entity.js';
import { ReminderRun } from './src/modules/notifications/runs/reminder-run.entity.js';
import { SecurityEvents1791000000100 } from './src/migrations/1791000000100-security-events.js';
import type { Env } from './src/platform/config/env.js';
import { dataSourceOptions } from './src/platform/database/data-source-options.js';

const entities = [
  Booking,
  BookingItem,
  CommissionLine,
  CatalogSynonym,
  Channel,
  Allotment,
  AllotmentSlot,
  ReviewSource,
  ApiToken,
  SecurityEvent,
  StaffSession,
  User,
  Contract,
  Policy,
  PolicyAssignment,
  PolicyVersion,
  NumberSeries,
  Invoice,
  InvoiceLine,
  InvoiceRendition,
  PaymentPlan,
  PaymentSchedule,
  OrganizationPolicy,
  SupplierInvoice,
  SupplierInvoiceLine,
  Payment,
  PaymentAllocation,
  Departure,
  Facility,
  GroundOperator,
  ClientSecret,
  ConnectorProvider,
  OAuthClient,
  Operator,
  OperatorGrant,
  Trip,
  TripComponent,
  KeyVersion,
  Vault,
  ReminderRule,
  ReminderRun,
  NotificationMessage,
];

const migrations = [
  Platform1790000000000,
  IdempotencySessions1790000000010,
  ActionLedger1790000000100,
  Distribution1790000000200,
  Identity1790000000300,
  Finance1790000000400,
  Realtime1790000000800,
  RealtimeChannelIds1790000000810,
  Legal1790000000500,
  Vault1790000000700,
  ReferenceData1790000000900,
  Connect1790000000600,
  Bookings1790000001000,
  Payments1790000001200,
  NumberSeries1790000001300,
  Invoices1790000001400,
  Renditions1790000001500,
  InvoicePayments1790000001450,
  PaymentPlans1790000001100,
  OverdueSchedules1790000001110,
  Facilities1790000001700,
  Departures1790000001800,
  Allotments1790000001900,
  Commissions1790000001600,
  Trips1790000002000,
  Catalog1790000002400,
  CatalogUpkeep1790000002410,
  CatalogStaleVectors1790000002420,
  CatalogNoVectors1790000002430,
  IntegrityReport1790000002010,
  Policies1790000002100,
  BookingTerms1790000002110,
  Notifications1790000002200,
  LedgerReversals1790000002300,
  ReclaimedUnits1790000002310,
  ConnectVersions1790000002500,
  VaultKeyAdministration1790000002510,
  DiskProbes1790000002600,
  FailureLimits1790000002610,
  RenditionJobs1790000002620,
  SecurityEvents1791000000100,
];

export function createDataSource(env: Pick<Env, 'databaseUrl' | 'databasePoolSize'>): DataSource {
  return new DataSource({ ...dataSourceOptions(env), entities, migrations });
}

/** For the `typeorm` command: `typeorm migration:generate ... -d dist/ormconfig.js`. The service makes its own. */
export default createDataSource({ databaseUrl: process.env['DATABASE_URL'] ?? '', databasePoolSize: 4 });
