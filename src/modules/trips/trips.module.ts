import { Module, type OnModuleInit } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { Provisioning } from '../../platform/provisioning/provisioning.js';
import { ActionLedgerModule } from '../action-ledger/index.js';
import { BookingsModule } from '../bookings/index.js';
import { OperationsModule } from '../operations/index.js';
import { ComponentRows } from './components/component-rows.service.js';
import { ComponentsController } from './components/components.controller.js';
import { Components } from './components/components.service.js';
import { MovedDepartures } from './components/moved-departures.service.js';
import { ServiceDates } from './components/service-dates.service.js';
import { loadDemoTrips } from './demo.js';
import { TripJournal } from './envelopes/trip-journal.js';
import { TripRows } from './envelopes/trip-rows.service.js';
import { TripsController } from './envelopes/trips.controller.js';
import { Trips } from './envelopes/trips.service.js';
import { Pricing } from './pricing/pricing.service.js';
import { DeparturesProvider } from './providers/departures-provider.js';
import { ManualProvider } from './providers/manual-provider.js';
import { Providers } from './providers/providers.service.js';
import { SimulatedProduct } from './providers/simulated-product.dto.js';
import { SimulatedProvider } from './providers/simulated-provider.js';
import { Attempts } from './reservations/attempts.service.js';
import { Compensations } from './reservations/compensations.service.js';
import { HoldExpiry } from './reservations/hold-expiry.service.js';
import { Holds } from './reservations/holds.service.js';
import { Openings } from './reservations/openings.service.js';
import { OutsideHolds } from './reservations/outside-holds.service.js';
import { PlanRows } from './reservations/plan-rows.service.js';
import { Recoveries } from './reservations/recoveries.service.js';
import { ReservationUndos } from './reservations/reservation-undos.service.js';
import { ReservationsController } from './reservations/reservations.controller.js';
import { Reservations } from './reservations/reservations.service.js';
import { SagaBook } from './reservations/saga-book.service.js';
import { Saga } from './reservations/saga.service.js';
import { Settlements } from './reservations/settlements.service.js';
import { Starts } from './reservations/starts.service.js';
import { Sweeper } from './reservations/sweeper.service.js';
import { TripEndings } from './reservations/trip-endings.service.js';
import { Unreserving } from './reservations/unreserving.service.js';

@Module({
  imports: [ActionLedgerModule, BookingsModule, OperationsModule],
  controllers: [TripsController, ComponentsController, ReservationsController],
  providers: [
    Attempts,
    Compensations,
    ComponentRows,
    Components,
    DeparturesProvider,
    HoldExpiry,
    Holds,
    ManualProvider,
    MovedDepartures,
    Openings,
    OutsideHolds,
    PlanRows,
    Pricing,
    Providers,
    Recoveries,
    ReservationUndos,
    Reservations,
    Saga,
    SagaBook,
    ServiceDates,
    Settlements,
    SimulatedProvider,
    Starts,
    Sweeper,
    TripEndings,
    TripJournal,
    TripRows,
    Trips,
    Unreserving,
  ],
})
export class TripsModule implements OnModuleInit {
  constructor(
    private readonly provisioning: Provisioning,
    private readonly simulated: SimulatedProvider,
    private readonly modules: ModuleRef,
  ) {}

  onModuleInit(): void {
    this.provisioning.section('simulatedProducts', {
      order: 600,
      row: SimulatedProduct,
      apply: (products) => this.simulated.configure(products),
    });
    const makers = {
      trips: this.modules.get(Trips),
      components: this.modules.get(Components),
      reservations: this.modules.get(Reservations),
      simulated: this.simulated,
    };
    this.provisioning.demo(650, 'trips', () => loadDemoTrips(makers));
  }
}
