import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { currentActor } from '../../../platform/context/request-context.js';
import { notFound } from '../../../platform/errors/app-error.js';
import { AllotmentsService, ChannelsService } from '../../distribution/index.js';
import { type DepartureSummary, DeparturesService } from '../../operations/index.js';
import { ChannelProductsService } from '../../products/index.js';
import type { Connection } from '../connections/connection.entity.js';
import { ConnectionsService } from '../connections/connections.service.js';
import { seatsOf, vacanciesOf } from '../supplier/vacancies.js';
import { type ListPartnerDepartures, type PartnerDeparture, toPartnerDeparture } from './partner-departure.dto.js';

const MAX_PRODUCTS = 500;

/** Departures as a partner sees them whose channel sells them. */
@Injectable()
export class PartnerDeparturesService {
  constructor(
    private readonly connections: ConnectionsService,
    private readonly channels: ChannelsService,
    private readonly departures: DeparturesService,
    private readonly allotments: AllotmentsService,
    private readonly products: ChannelProductsService,
    private readonly clock: Clock,
  ) {}

  async list(query: ListPartnerDepartures): Promise<{ rows: PartnerDeparture[]; total: number }> {
    const connection = await this.connections.findFor(currentActor());
    if (!connection) return { rows: [], total: 0 };
    const { startFrom = this.clock.today(), ...others } = query;
    const { views, total } = await this.departures.list({ ...others, startFrom }, await this.productsOf(connection));
    const found = await this.departures.listSummaries(views.map(({ id }) => id));
    const byId = new Map((await this.withSeats(found, connection)).map((row) => [row.id, row]));
    return { rows: views.flatMap(({ id }) => byId.get(id) ?? []), total };
  }

  /** Throws 404. */
  async get(id: string): Promise<PartnerDeparture> {
    const connection = await this.connections.findFor(currentActor());
    if (!connection) throw notFound();
    const products = await this.productsOf(connection);
    const found = await this.departures.listSummaries([id]);
    const shown = found.filter(({ productId }) => products.includes(productId));
    const [row] = await this.withSeats(shown, connection);
    if (!row) throw notFound();
    return row;
  }

  /** The products that the connection can sell, as on the OCTO surface. */
  private async productsOf({ catalogue, productIds }: Connection): Promise<string[]> {
    const products = await this.products.list(catalogue === 'all' ? null : productIds, MAX_PRODUCTS);
    return products.map(({ id }) => id);
  }

  private async withSeats(
    departures: readonly DepartureSummary[],
    connection: Connection,
  ): Promise<PartnerDeparture[]> {
    const { channelId } = connection;
    const isSelling = await this.channels.isSelling(channelId);
    const slots = await this.allotments.listSlotsOf(
      channelId,
      departures.map(({ id }) => id),
    );
    return departures.map((departure) => {
      const slot = slots.find(({ departureId }) => departureId === departure.id) ?? null;
      // The slot of a channel can have seats of a departure whose pool is sold out.
      const isSold = isSelling && ['open', 'sold_out'].includes(departure.salesState);
      return toPartnerDeparture(departure, isSold ? seatsOf(vacanciesOf(connection, departure, slot)) : 0);
    });
  }
}
