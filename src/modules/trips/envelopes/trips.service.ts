import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { make } from '../../../platform/database/rows.js';
import { type AppError, conflict } from '../../../platform/errors/app-error.js';
import { assertVersion, type ExpectedVersions } from '../../../platform/http/if-match.js';
import { newId } from '../../../platform/ids/id.js';
import { ActionLedger } from '../../action-ledger/index.js';
import { AgencyTermsService } from '../../bookings/index.js';
import { CustomersService } from '../../customers/index.js';
import { ExternalProvidersService } from '../providers/external-providers.service.js';
import { InternalProvider } from '../providers/internal-provider.js';
import type { Quote } from '../providers/provider.js';
import { applyQuotes, pricingErrorOf, quotePending, sumOf } from './trip-prices.js';
import { changeOf } from './trip-audit.js';
import type { CreateTrip, ListTrips, UpdateTrip } from './trip.dto.js';
import { Trip, type TripView } from './trip.entity.js';
import { TripsRepository } from './trips.repository.js';

const MAX_PRICING_ATTEMPTS = 4;

/** Quotes of external providers for the trip as it was in this version. */
interface ExternalQuotes {
  version: number;
  quotes: Map<string, Quote>;
}

/** Manages the envelopes of trips, and prices them. */
@Injectable()
export class TripsService {
  constructor(
    private readonly database: Database,
    private readonly repository: TripsRepository,
    private readonly internal: InternalProvider,
    private readonly external: ExternalProvidersService,
    private readonly customers: CustomersService,
    private readonly agencies: AgencyTermsService,
    private readonly ledger: ActionLedger,
    private readonly clock: Clock,
  ) {}

  async create({ title, currency, customerId, travelerParty }: CreateTrip, id = newId('trip')): Promise<TripView> {
    const now = this.clock.now();
    const trip = make(Trip, {
      id,
      title,
      status: 'draft',
      currency,
      customerId,
      travelerParty,
      fencingToken: 0,
      attention: false,
      createdAt: now,
    });
    return this.database.transaction(async () => {
      if (trip.customerId !== null) await this.customers.lockLive(trip.customerId);
      await this.repository.trips.insert(trip);
      this.ledger.record('trips.trip.create', changeOf(trip, null));
      return { trip, components: [], plan: null };
    });
  }

  async get(id: string): Promise<TripView> {
    return this.repository.getView(id);
  }

  async list(query: ListTrips): Promise<{ views: TripView[]; total: number }> {
    return this.repository.list(query);
  }

  async update(id: string, body: UpdateTrip, expected: ExpectedVersions): Promise<TripView> {
    const { title, customerId, travelerParty } = body;
    return this.database.transaction(async () => {
      // A merge of customers locks them before their trips.
      if (customerId) await this.customers.lockLive(customerId);
      const trip = await this.repository.trips.lock(id);
      assertVersion(expected, trip);
      const before = trip.auditImage();
      const now = this.clock.now();
      if (travelerParty !== undefined) {
        trip.edit(now);
        trip.travelerParty = travelerParty;
      }
      if (customerId !== undefined) await this.assignCustomer(trip, customerId);
      if (title !== undefined) trip.title = title;
      trip.updatedAt = now;
      await this.repository.trips.update(trip);
      // The snapshot omits names; this shows that they changed.
      const more = { partyChanged: travelerParty !== undefined };
      this.ledger.record('trips.trip.update', changeOf(trip, before, more));
      return this.repository.viewOf(trip);
    });
  }

  /**
   * External providers are called before the transaction, and again if the trip changed in the meantime. The result is stored
   * even if it is an error: the trip is then a draft whose components show why they are unavailable. While a provider has not
   * quoted, nothing changes.
   */
  async price(id: string, expected: ExpectedVersions): Promise<TripView> {
    for (let attempt = 1; attempt <= MAX_PRICING_ATTEMPTS; attempt += 1) {
      const external = await this.quoteExternal(id);
      const priced = await this.database.transaction(() => this.storePrices(id, expected, external));
      if (priced?.error) throw priced.error;
      if (priced) return priced.view;
    }
    throw conflict('trip_changed', 'The trip was changed repeatedly while it was priced; try again');
  }

  /** Units have other prices in another channel: they are priced again for a customer of another channel. */
  private async assignCustomer(trip: Trip, customerId: string | null): Promise<void> {
    const former = trip.customerId;
    trip.assignCustomer(customerId);
    if (former === customerId) return;
    if ((await this.agencies.channelOf(former)) === (await this.agencies.channelOf(customerId))) return;
    const components = await this.repository.componentsOf(trip.id);
    const byUnits = components.filter((one) => one.isActive() && one.units.length > 0);
    if (byUnits.length === 0) return;
    trip.edit(this.clock.now());
    for (const component of byUnits) component.clearPrice();
    await this.repository.saveComponents(byUnits);
  }

  private async quoteExternal(id: string): Promise<ExternalQuotes> {
    const { trip, components } = await this.repository.getView(id);
    const external = components.filter((one) => trip.isEditable() && one.isActive() && !one.isInternal());
    const { quotes, pendingIds } = await this.external.quote(external.map((one) => one.quoteRequest()));
    if (pendingIds.length > 0) throw quotePending(pendingIds);
    return { version: trip.version, quotes };
  }

  /** Returns null if the trip's version has changed since the calls of the providers. */
  private async storePrices(
    id: string,
    expected: ExpectedVersions,
    external: ExternalQuotes,
  ): Promise<{ view: TripView; error: AppError | null } | null> {
    const trip = await this.repository.trips.lock(id);
    assertVersion(expected, trip);
    trip.assertPriceable();
    if (trip.version !== external.version) return null;
    const view = await this.repository.viewOf(trip);
    const active = view.components.filter((one) => one.isActive());
    if (active.length === 0) throw conflict('trip_not_priced', 'The trip has no component', { componentIds: [] });

    const before = trip.auditImage();
    const internal = active.filter((one) => one.isInternal()).map((one) => one.quoteRequest());
    const quotes = new Map([...external.quotes, ...(await this.internal.quote(internal, trip.customerId))]);
    const error = pricingErrorOf(applyQuotes(active, quotes, trip.currency), trip.currency);
    const now = this.clock.now();
    if (error) trip.edit(now);
    else {
      trip.setPrices(sumOf(active), now);
      trip.moveTo('priced', now);
    }
    await this.repository.save({ trip, components: active, plan: null });
    this.ledger.record('trips.trip.price', changeOf(trip, before, { refusal: error?.code ?? null }));
    return { view, error };
  }
}
