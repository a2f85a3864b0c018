import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { notFound } from '../../../platform/errors/app-error.js';
import { TripComponent } from './component.entity.js';

/** Writes what a change may touch of components, and beside each new status the event that tells of it. */
const SAVE = `with w as (
    select * from jsonb_to_recordset($1::jsonb) as w (
      id text, title text, quantity int, status text, departure_id text, provider_ref text, unit_price_cents bigint,
      unit_tax_included_cents bigint, confirmed_by_staff boolean, service_date date, currency text,
      subtotal_cents bigint, tax_cents bigint, total_cents bigint, price_expires_at timestamptz,
      hold_expires_at timestamptz, booking_item_id text, warnings jsonb)
  ), before as (
    select c.id, c.status from trip_components c join w using (id)
  ), saved as (
    update trip_components c set title = w.title, quantity = w.quantity, status = w.status,
      departure_id = w.departure_id, provider_ref = w.provider_ref, unit_price_cents = w.unit_price_cents,
      unit_tax_included_cents = w.unit_tax_included_cents, confirmed_by_staff = w.confirmed_by_staff,
      service_date = w.service_date, currency = w.currency, subtotal_cents = w.subtotal_cents,
      tax_cents = w.tax_cents, total_cents = w.total_cents, price_expires_at = w.price_expires_at,
      hold_expires_at = w.hold_expires_at, booking_item_id = w.booking_item_id, warnings = w.warnings,
      version = c.version + 1, updated_at = $2
    from w where c.id = w.id returning c.id, c.envelope_id, c.status
  ), told as (
    insert into trip_component_events (component_id, envelope_id, plan_id, from_status, to_status, created_at)
    select s.id, s.envelope_id, $3, b.status, s.status, $2 from saved s join before b using (id)
    where s.status <> b.status
  )
  select count(*)::int as count from saved`;

/** The rows of components. Whoever writes them holds their trip. */
@Injectable()
export class ComponentRows {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** All of these trips' components that were not removed, in their order. */
  async of(envelopeIds: readonly string[]): Promise<TripComponent[]> {
    const columns = this.database.columnsOf(TripComponent, 'c');
    const found = await this.database.read<TripComponent>(TripComponent, {
      name: 'trip-components-of',
      text: `select ${columns} from trip_components c
        where c.envelope_id = any($1) and c.status <> 'removed' order by c.envelope_id, c.position`,
      values: [envelopeIds],
    });
    return found.map(({ entity }) => entity);
  }

  /** Throws 404, also for one of another trip, and for one that was removed. */
  async get(envelopeId: string, id: string): Promise<TripComponent> {
    const component = (await this.of([envelopeId])).find((known) => known.id === id);
    if (!component) throw notFound();
    return component;
  }

  /** Adds it as the last one of its trip. */
  async append(component: TripComponent): Promise<void> {
    const [last] = await this.database.query<{ next: number }>(
      'select coalesce(max(position) + 1, 0) as next from trip_components where envelope_id = $1',
      [component.envelopeId],
    );
    component.position = last?.next ?? 0;
    await this.database.insert(component);
    await this.database.query(
      `insert into trip_component_events (component_id, envelope_id, to_status, created_at) values ($1, $2, $3, $4)`,
      [component.id, component.envelopeId, component.status, component.createdAt],
    );
  }

  /** Stores these, in one statement; `planId` is the reservation that moves them, if one does. */
  async save(components: readonly TripComponent[], planId: string | null = null): Promise<void> {
    if (components.length === 0) return;
    const now = this.clock.now();
    const values = [JSON.stringify(components.map(columnsOf)), now, planId];
    const [saved] = await this.database.prepared<{ count: number }>('trip-components-save', SAVE, values);
    if (saved?.count !== components.length) throw new Error('A component was changed without its trip');
    for (const component of components) Object.assign(component, { version: component.version + 1, updatedAt: now });
  }
}

function columnsOf(component: TripComponent): object {
  return {
    id: component.id,
    title: component.title,
    quantity: component.quantity,
    status: component.status,
    departure_id: component.departureId,
    provider_ref: component.providerRef,
    unit_price_cents: component.unitPriceCents,
    unit_tax_included_cents: component.unitTaxIncludedCents,
    confirmed_by_staff: component.confirmedByStaff,
    service_date: component.serviceDate,
    currency: component.currency,
    subtotal_cents: component.subtotalCents,
    tax_cents: component.taxCents,
    total_cents: component.totalCents,
    price_expires_at: component.priceExpiresAt,
    hold_expires_at: component.holdExpiresAt,
    booking_item_id: component.bookingItemId,
    warnings: component.warnings,
  };
}
