import { DataSource } from 'typeorm';
import { Platform1790000000000 } from './src/migrations/1790000000000-platform.js';
import { ActionLedger1790000000100 } from './src/migrations/1790000000100-action-ledger.js';
import { Identity1790000000200 } from './src/migrations/1790000000200-identity.js';
import { Connect1790000000300 } from './src/migrations/1790000000300-connect.js';
import { Vault1790000000400 } from './src/migrations/1790000000400-vault.js';
import { Realtime1790000000500 } from './src/migrations/1790000000500-realtime.js';
import { ReferenceData1790000000600 } from './src/migrations/1790000000600-reference-data.js';
import { Catalog1790000000700 } from './src/migrations/1790000000700-catalog.js';
import { Operations1790000000800 } from './src/migrations/1790000000800-operations.js';
import { Distribution1790000000900 } from './src/migrations/1790000000900-distribution.js';
import { Bookings1790000001000 } from './src/migrations/1790000001000-bookings.js';
import { Finance1790000001100 } from './src/migrations/1790000001100-finance.js';
import { Legal1790000001200 } from './src/migrations/1790000001200-legal.js';
import { Notifications1790000001300 } from './src/migrations/1790000001300-notifications.js';
import { Trips1790000001400 } from './src/migrations/1790000001400-trips.js';
import { SecurityEvents1791000000100 } from './src/migrations/1791000000100-security-events.js';
import { Accounts1791000000110 } from './src/migrations/1791000000110-accounts.js';
import { AccountMails1791000000120 } from './src/migrations/1791000000120-account-mails.js';
import { SecondFactors1791000000200 } from './src/migrations/1791000000200-second-factors.js';
import { RejectedLogins1791000000210 } from './src/migrations/1791000000210-rejected-logins.js';
import { MessagePublishers1791000000300 } from './src/migrations/1791000000300-message-publishers.js';
import { VaultOwners1791000000310 } from './src/migrations/1791000000310-vault-owners.js';
import { ConnectorProviderOwners1791000000320 } from './src/migrations/1791000000320-connector-provider-owners.js';
import { DerivedCredentials1791000000330 } from './src/migrations/1791000000330-derived-credentials.js';
import { ContractPublicIds1791000000400 } from './src/migrations/1791000000400-contract-public-ids.js';
import { ContractPageTokens1791000000410 } from './src/migrations/1791000000410-contract-page-tokens.js';
import { AuditRequestIds1791000000420 } from './src/migrations/1791000000420-audit-request-ids.js';
import { ServiceKeys1791000000500 } from './src/migrations/1791000000500-service-keys.js';
import { VaultKeyDestruction1791000000510 } from './src/migrations/1791000000510-vault-key-destruction.js';
import { MessageRetention1791000000700 } from './src/migrations/1791000000700-message-retention.js';
import { BookingRetention1791000000710 } from './src/migrations/1791000000710-booking-retention.js';
import { SealedAnswers1791000000720 } from './src/migrations/1791000000720-sealed-answers.js';
import { LedgerAppendRights1791000000800 } from './src/migrations/1791000000800-ledger-append-rights.js';
import { LedgerEvidence1791000000810 } from './src/migrations/1791000000810-ledger-evidence.js';
import { ContractAndTripRetention1791000000820 } from './src/migrations/1791000000820-contract-and-trip-retention.js';
import { FinanceSettings1792000000100 } from './src/migrations/1792000000100-finance-settings.js';
import { Organization1792000000110 } from './src/migrations/1792000000110-organization.js';
import { InvoiceIssuers1792000000120 } from './src/migrations/1792000000120-invoice-issuers.js';
import { TaxCodes1792000000200 } from './src/migrations/1792000000200-tax-codes.js';
import { ItemTaxCodes1792000000210 } from './src/migrations/1792000000210-item-tax-codes.js';
import { LineTaxes1792000000220 } from './src/migrations/1792000000220-line-taxes.js';
import { CustomerMoney1792000000300 } from './src/migrations/1792000000300-customer-money.js';
import { RequestedReminders1792000000310 } from './src/migrations/1792000000310-requested-reminders.js';
import { CreditNotes1792000000400 } from './src/migrations/1792000000400-credit-notes.js';
import { NumberSequences1792000000410 } from './src/migrations/1792000000410-number-sequences.js';
import { InvoicesWithinClaim1792000000499 } from './src/migrations/1792000000499-invoices-within-claim.js';
import { Cancellations1792000000500 } from './src/migrations/1792000000500-cancellations.js';
import { AccountingPeriods1792000000600 } from './src/migrations/1792000000600-accounting-periods.js';
import { Histories1792000000610 } from './src/migrations/1792000000610-histories.js';
import { BillPostings1792000000620 } from './src/migrations/1792000000620-bill-postings.js';
import { ReportIndexes1792000000630 } from './src/migrations/1792000000630-report-indexes.js';
import { SlotStates1792000000700 } from './src/migrations/1792000000700-slot-states.js';
import { BookingDates1792000000710 } from './src/migrations/1792000000710-booking-dates.js';
import { RedatedInstallments1792000000800 } from './src/migrations/1792000000800-redated-installments.js';
import { DepartureChangedMails1792000000810 } from './src/migrations/1792000000810-departure-changed-mails.js';
import { SupplierStatus1792000000900 } from './src/migrations/1792000000900-supplier-status.js';
import { TripExits1792000000910 } from './src/migrations/1792000000910-trip-exits.js';
import { FoldedSearch1792000001000 } from './src/migrations/1792000001000-folded-search.js';
import { PaymentReferences1792000001010 } from './src/migrations/1792000001010-payment-references.js';
import { DepartureSales1793000000100 } from './src/migrations/1793000000100-departure-sales.js';
import { TaxRateTimes1793000000200 } from './src/migrations/1793000000200-tax-rate-times.js';
import { ReportDays1793000000300 } from './src/migrations/1793000000300-report-days.js';
import { InstallmentReductions1793000000500 } from './src/migrations/1793000000500-installment-reductions.js';
import { SettlementDays1793000000600 } from './src/migrations/1793000000600-settlement-days.js';
import { SearchTexts1793000000800 } from './src/migrations/1793000000800-search-texts.js';
import { EndedOrders1793000000810 } from './src/migrations/1793000000810-ended-orders.js';
import { RequiredRows1794000000200 } from './src/migrations/1794000000200-required-rows.js';
import { CatalogSearch1794000000500 } from './src/migrations/1794000000500-catalog-search.js';
import { WritePositions1794000000600 } from './src/migrations/1794000000600-write-positions.js';
import { LedgerPartitions1794000000700 } from './src/migrations/1794000000700-ledger-partitions.js';
import { RowCounts1794000000710 } from './src/migrations/1794000000710-row-counts.js';
import { ListIndexes1794000000720 } from './src/migrations/1794000000720-list-indexes.js';
import { SchemaCompatibility1794000001000 } from './src/migrations/1794000001000-schema-compatibility.js';
import { LowerCaseStatistics1794000001700 } from './src/migrations/1794000001700-lower-case-statistics.js';
import { WrongCodes1795803000000 } from './src/migrations/1795803000000-wrong-codes.js';
import { TwoPersons1795803000010 } from './src/migrations/1795803000010-two-persons.js';
import { LiveCallers1795804000000 } from './src/migrations/1795804000000-live-callers.js';
import { OpenMoneyOfPastDays1795807000000 } from './src/migrations/1795807000000-open-money-of-past-days.js';
import { ChargesAndFees1795807000010 } from './src/migrations/1795807000010-charges-and-fees.js';
import { RecordedReversals1795820000000 } from './src/migrations/1795820000000-recorded-reversals.js';
import { CommissionAdjustments1795830000000 } from './src/migrations/1795830000000-commission-adjustments.js';
import { RealtimeBounds1795860000000 } from './src/migrations/1795860000000-realtime-bounds.js';
import { TypeormMetadata1795870000000 } from './src/migrations/1795870000000-typeorm-metadata.js';
import { AddedTaxRates1796100000000 } from './src/migrations/1796100000000-added-tax-rates.js';
import { AddedTaxRateIndexes1796100000010 } from './src/migrations/1796100000010-added-tax-rate-indexes.js';
import { ExchangeRates1796100000100 } from './src/migrations/1796100000100-exchange-rates.js';
import { BaseAmountsOfTaxLines1796100000110 } from './src/migrations/1796100000110-base-amounts-of-tax-lines.js';
import { BaseAmountsOfLines1796100000120 } from './src/migrations/1796100000120-base-amounts-of-lines.js';
import { BaseAmountsOfInvoices1796100000130 } from './src/migrations/1796100000130-base-amounts-of-invoices.js';
import { ValidatedBaseAmounts1796100000140 } from './src/migrations/1796100000140-validated-base-amounts.js';
import { BillRates1796100000200 } from './src/migrations/1796100000200-bill-rates.js';
import { ValidatedBillRates1796100000210 } from './src/migrations/1796100000210-validated-bill-rates.js';
import { NoWritePositions1796200000000 } from './src/migrations/1796200000000-no-write-positions.js';
import { CommissionLine } from './src/modules/finance/commissions/commission-line.entity.js';
import { CancellationSettlement } from './src/modules/finance/settlements/cancellation-settlement.entity.js';
import { CatalogSynonym } from './src/modules/catalog/synonyms/synonym.entity.js';
import { Booking } from './src/modules/bookings/bookings/booking.entity.js';
import { BookingItem } from './src/modules/bookings/bookings/booking-item.entity.js';
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
import { AccountingPeriod } from './src/modules/finance/periods/accounting-period.entity.js';
import { OrganizationPolicy } from './src/modules/finance/payment-policy/payment-policy.entity.js';
import { Payment } from './src/modules/finance/booking-account/payment.entity.js';
import { PaymentAllocation } from './src/modules/finance/booking-account/payment-allocation.entity.js';
import { ExchangeRate } from './src/modules/finance/exchange-rates/exchange-rate.entity.js';
import { FinanceSettings } from './src/modules/finance/settings/finance-settings.entity.js';
import { TaxCode } from './src/modules/taxes/tax-codes/tax-code.entity.js';
import { SupplierInvoice } from './src/modules/finance/supplier-invoices/supplier-invoice.entity.js';
import { SupplierInvoiceLine } from './src/modules/finance/supplier-invoices/supplier-invoice-line.entity.js';
import { Contract } from './src/modules/legal/contracts/contract.entity.js';
import { Policy } from './src/modules/legal/policies/policy.entity.js';
import { PolicyAssignment } from './src/modules/legal/policy-assignments/policy-assignment.entity.js';
import { PolicyVersion } from './src/modules/legal/policy-versions/policy-version.entity.js';
import { ReviewSource } from './src/modules/reference-data/review-sources/review-source.entity.js';
import { ApiToken } from './src/modules/identity/api-tokens/api-token.entity.js';
import { SecurityEvent } from './src/modules/identity/security-events/security-event.entity.js';
import { AccountLink } from './src/modules/identity/account-links/account-link.entity.js';
import { Invitation } from './src/modules/identity/invitations/invitation.entity.js';
import { DeviceToken } from './src/modules/identity/devices/device-token.entity.js';
import { RecoveryCode, SecondFactor } from './src/modules/identity/second-factors/second-factor.entity.js';
import { LoginChallenge } from './src/modules/identity/sessions/login-challenge.entity.js';
import { StaffSession } from './src/modules/identity/sessions/staff-session.entity.js';
import { User } from './src/modules/identity/users/user.entity.js';
import { OrganizationProfile } from './src/modules/organization/profile/organization-profile.entity.js';
import { OrganizationSettings } from './src/modules/organization/settings/organization-settings.entity.js';
import { Departure } from './src/modules/operations/departures/departure.entity.js';
import { Facility } from './src/modules/operations/facilities/facility.entity.js';
import { GroundOperator } from './src/modules/operations/operators/ground-operator.entity.js';
import { TripAttention } from './src/modules/trips/trips/trip-attention.entity.js';
import { TripComponent } from './src/modules/trips/trips/trip-component.entity.js';
import { Trip } from './src/modules/trips/trips/trip.entity.js';
import { KeyVersion } from './src/modules/vault/keys/key-version.entity.js';
import { Vault } from './src/modules/vault/vaults/vault.entity.js';
import { ReminderRule } from './src/modules/notifications/rules/reminder-rule.entity.js';
import { NotificationMessage } from './src/modules/notifications/messages/notification-message.entity.js';
import { ReminderRun } from './src/modules/notifications/runs/reminder-run.entity.js';
import { RealtimeChannel } from './src/modules/realtime/messages/channel.entity.js';
import { RealtimeMessage } from './src/modules/realtime/messages/message.entity.js';
import type { Env } from './src/platform/config/env.js';
import { dataSourceOptions } from './src/platform/database/data-source-options.js';

const entities = [
  Booking,
  BookingItem,
  CommissionLine,
  CancellationSettlement,
  CatalogSynonym,
  Channel,
  Allotment,
  AllotmentSlot,
  ReviewSource,
  ApiToken,
  SecurityEvent,
  DeviceToken,
  LoginChallenge,
  RecoveryCode,
  SecondFactor,
  StaffSession,
  AccountLink,
  Invitation,
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
  OrganizationProfile,
  OrganizationSettings,
  FinanceSettings,
  ExchangeRate,
  AccountingPeriod,
  SupplierInvoice,
  SupplierInvoiceLine,
  TaxCode,
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
  TripAttention,
  KeyVersion,
  Vault,
  RealtimeChannel,
  RealtimeMessage,
  ReminderRule,
  ReminderRun,
  NotificationMessage,
];

const migrations = [
  Platform1790000000000,
  ActionLedger1790000000100,
  Identity1790000000200,
  Connect1790000000300,
  Vault1790000000400,
  Realtime1790000000500,
  ReferenceData1790000000600,
  Catalog1790000000700,
  Operations1790000000800,
  Distribution1790000000900,
  Bookings1790000001000,
  Finance1790000001100,
  Legal1790000001200,
  Notifications1790000001300,
  Trips1790000001400,
  SecurityEvents1791000000100,
  Accounts1791000000110,
  AccountMails1791000000120,
  SecondFactors1791000000200,
  RejectedLogins1791000000210,
  MessagePublishers1791000000300,
  VaultOwners1791000000310,
  ConnectorProviderOwners1791000000320,
  DerivedCredentials1791000000330,
  ContractPublicIds1791000000400,
  ContractPageTokens1791000000410,
  AuditRequestIds1791000000420,
  ServiceKeys1791000000500,
  VaultKeyDestruction1791000000510,
  MessageRetention1791000000700,
  BookingRetention1791000000710,
  SealedAnswers1791000000720,
  LedgerAppendRights1791000000800,
  LedgerEvidence1791000000810,
  ContractAndTripRetention1791000000820,
  FinanceSettings1792000000100,
  Organization1792000000110,
  InvoiceIssuers1792000000120,
  TaxCodes1792000000200,
  ItemTaxCodes1792000000210,
  LineTaxes1792000000220,
  CustomerMoney1792000000300,
  RequestedReminders1792000000310,
  CreditNotes1792000000400,
  NumberSequences1792000000410,
  InvoicesWithinClaim1792000000499,
  Cancellations1792000000500,
  AccountingPeriods1792000000600,
  Histories1792000000610,
  BillPostings1792000000620,
  ReportIndexes1792000000630,
  SlotStates1792000000700,
  BookingDates1792000000710,
  RedatedInstallments1792000000800,
  DepartureChangedMails1792000000810,
  SupplierStatus1792000000900,
  TripExits1792000000910,
  FoldedSearch1792000001000,
  PaymentReferences1792000001010,
  DepartureSales1793000000100,
  TaxRateTimes1793000000200,
  ReportDays1793000000300,
  InstallmentReductions1793000000500,
  SettlementDays1793000000600,
  SearchTexts1793000000800,
  EndedOrders1793000000810,
  RequiredRows1794000000200,
  CatalogSearch1794000000500,
  WritePositions1794000000600,
  LedgerPartitions1794000000700,
  RowCounts1794000000710,
  ListIndexes1794000000720,
  SchemaCompatibility1794000001000,
  LowerCaseStatistics1794000001700,
  WrongCodes1795803000000,
  TwoPersons1795803000010,
  LiveCallers1795804000000,
  OpenMoneyOfPastDays1795807000000,
  ChargesAndFees1795807000010,
  RecordedReversals1795820000000,
  CommissionAdjustments1795830000000,
  RealtimeBounds1795860000000,
  TypeormMetadata1795870000000,
  AddedTaxRates1796100000000,
  AddedTaxRateIndexes1796100000010,
  ExchangeRates1796100000100,
  BaseAmountsOfTaxLines1796100000110,
  BaseAmountsOfLines1796100000120,
  BaseAmountsOfInvoices1796100000130,
  ValidatedBaseAmounts1796100000140,
  BillRates1796100000200,
  ValidatedBillRates1796100000210,
  NoWritePositions1796200000000,
];

export function createDataSource(env: Pick<Env, 'databaseUrl' | 'databasePoolSize'>): DataSource {
  return new DataSource({ ...dataSourceOptions(env), entities, migrations });
}

/** For the `typeorm` command: `typeorm migration:generate ... -d dist/ormconfig.js`. The service makes its own. */
export default createDataSource({ databaseUrl: process.env['DATABASE_URL'] ?? '', databasePoolSize: 4 });
