import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import type { Logger } from 'pino';
import type { DataSource } from 'typeorm';
import { DemoDepartures } from './bootstrap/demo-departures.js';
import { ActionLedgerModule } from './modules/action-ledger/index.js';
import { BookingsModule } from './modules/bookings/index.js';
import { CatalogModule } from './modules/catalog/index.js';
import { ConnectModule } from './modules/connect/index.js';
import { CustomersModule } from './modules/customers/index.js';
import { DeskModule } from './modules/desk/index.js';
import { DistributionModule } from './modules/distribution/index.js';
import { DocumentsModule } from './modules/documents/index.js';
import { FinanceModule } from './modules/finance/index.js';
import { NotificationsModule } from './modules/notifications/index.js';
import { OperationsModule } from './modules/operations/index.js';
import { OrganizationModule } from './modules/organization/index.js';
import { RealtimeModule } from './modules/realtime/index.js';
import { LegalModule } from './modules/legal/index.js';
import { ReferenceDataModule } from './modules/reference-data/index.js';
import { IdentityModule } from './modules/identity/index.js';
import { OctoModule } from './modules/octo/index.js';
import { ProductsModule } from './modules/products/index.js';
import { TaxesModule } from './modules/taxes/index.js';
import { TripsModule } from './modules/trips/index.js';
import { VaultModule } from './modules/vault/index.js';
import { WebhooksModule } from './modules/webhooks/index.js';
import { Env } from './platform/config/env.js';
import type { Telemetry } from './platform/observability/telemetry.js';
import { PlatformModule } from './platform/platform.module.js';

/** All business modules in the order of their dependencies: a module may use the modules above it. */
const MODULES = [
  ActionLedgerModule,
  IdentityModule,
  OrganizationModule,
  VaultModule,
  CustomersModule,
  DocumentsModule,
  RealtimeModule,
  ReferenceDataModule,
  CatalogModule,
  TaxesModule,
  ProductsModule,
  OperationsModule,
  DistributionModule,
  LegalModule,
  ConnectModule,
  NotificationsModule,
  BookingsModule,
  FinanceModule,
  TripsModule,
  WebhooksModule,
  OctoModule,
  DeskModule,
];

export interface AppDependencies {
  env: Env;
  log: Logger;
  dataSource: DataSource;
  /** If absent, there are no traces, and `/metrics` is the only metrics export. */
  telemetry?: Telemetry;
  /** Modules besides the product's, because tests add their own routes. */
  furtherModules?: readonly Type[];
}

@Module({})
export class AppModule {
  static forRoot({ env, log, dataSource, telemetry, furtherModules = [] }: AppDependencies): DynamicModule {
    return {
      module: AppModule,
      imports: [
        PlatformModule.forRoot({ env, log, telemetry }),
        TypeOrmModule.forRootAsync({
          useFactory: () => ({ ...dataSource.options, retryAttempts: 0 }),
          dataSourceFactory: async () => (dataSource.isInitialized ? dataSource : dataSource.initialize()),
        }),
        ...MODULES,
        ...furtherModules,
      ],
      providers: [DemoDepartures],
    };
  }
}
