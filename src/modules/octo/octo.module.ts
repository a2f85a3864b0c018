import { Module } from '@nestjs/common';
import { ActionLedgerModule } from '../action-ledger/index.js';
import { BookingsModule } from '../bookings/index.js';
import { ConnectModule } from '../connect/index.js';
import { DistributionModule } from '../distribution/index.js';
import { FinanceModule } from '../finance/index.js';
import { IdentityModule } from '../identity/index.js';
import { LegalModule } from '../legal/index.js';
import { OperationsModule } from '../operations/index.js';
import { OrganizationModule } from '../organization/index.js';
import { ProductsModule } from '../products/index.js';
import { ConnectionsController } from './connections/connections.controller.js';
import { ConnectionsService } from './connections/connections.service.js';
import { OctoDemo } from './octo.demo.js';
import { PartnerBookingEvents } from './partners/partner-booking-events.js';
import { PartnerDeparturesController } from './partners/partner-departures.controller.js';
import { PartnerDeparturesService } from './partners/partner-departures.service.js';
import { AvailabilityService } from './supplier/availability.service.js';
import { CatalogueService } from './supplier/catalogue.service.js';
import { HeldUnitsService } from './supplier/held-units.service.js';
import { OctoBookingListener } from './supplier/octo-booking-listener.js';
import { OctoBookingJobs } from './supplier/octo-bookings.jobs.js';
import { OctoBookingsController } from './supplier/octo-bookings.controller.js';
import { OctoBookingsRepository } from './supplier/octo-bookings.repository.js';
import { OctoBookingsService } from './supplier/octo-bookings.service.js';
import { OctoData } from './supplier/octo-data.js';
import { OctoOrdersService } from './supplier/octo-orders.service.js';
import { OctoSalesService } from './supplier/octo-sales.service.js';
import { ResellersService } from './supplier/resellers.service.js';
import { SoldChangesService } from './supplier/sold-changes.service.js';
import { StaffBookingsController } from './supplier/staff-bookings.controller.js';
import { SupplierController } from './supplier/supplier.controller.js';

@Module({
  imports: [
    ActionLedgerModule,
    BookingsModule,
    ConnectModule,
    DistributionModule,
    FinanceModule,
    IdentityModule,
    LegalModule,
    OperationsModule,
    OrganizationModule,
    ProductsModule,
  ],
  controllers: [
    ConnectionsController,
    OctoBookingsController,
    PartnerDeparturesController,
    StaffBookingsController,
    SupplierController,
  ],
  providers: [
    AvailabilityService,
    CatalogueService,
    ConnectionsService,
    HeldUnitsService,
    OctoBookingJobs,
    OctoBookingListener,
    OctoBookingsRepository,
    OctoBookingsService,
    OctoData,
    OctoDemo,
    OctoOrdersService,
    OctoSalesService,
    PartnerBookingEvents,
    PartnerDeparturesService,
    ResellersService,
    SoldChangesService,
  ],
  exports: [ConnectionsService],
})
export class OctoModule {}
