import { expect } from '@jest/globals';
import { BookingListener } from '../../src/modules/bookings/index.js';
import { PaymentPlanJobs } from '../../src/modules/finance/receivables/plans/payment-plans.jobs.js';
import { ErasuresService } from '../../src/modules/customers/privacy/erasures.service.js';
import { ContractsService } from '../../src/modules/legal/contracts/contracts.service.js';
import { MessageTokens } from '../../src/modules/notifications/messages/message-tokens.js';
import { DeliveryJobs } from '../../src/modules/notifications/deliveries/deliveries.jobs.js';
import { ReminderJobs } from '../../src/modules/notifications/planning/reminders.jobs.js';
import { DepartureMinimumsService } from '../../src/modules/operations/departures/departure-minimums.service.js';
import { OctoBookingsService } from '../../src/modules/octo/supplier/octo-bookings.service.js';
import { ReservationsService } from '../../src/modules/trips/reservations/reservations.service.js';
import { Listeners } from '../../src/platform/discovery/listeners.js';
import { newId } from '../../src/platform/ids/id.js';
import { conflict } from '../../src/platform/errors/app-error.js';
import { asSystem } from '../../src/platform/context/request-context.js';
import { entryOf, reverse, reversed } from '../action-ledger/reversals.js';
import { ALLOTMENTS, allotted } from '../distribution/allotments/allotments.js';
import { change as commission, departedItem, earn, soldItem, terms } from '../finance/commissions/commissions.js';
import { confirmedBooking } from '../bookings/bookings.js';
import { book, cancelBooking, change, confirm, planned } from '../finance/payment-plans/plans.js';
import { CUSTOMERS, newCustomer } from '../customers/customers.js';
import { bookingWith, received } from '../finance/payments/bookings.js';
import { invoicing } from '../finance/payments/invoiced.js';
import { recorded, reverse as takeBack } from '../finance/payments/payments.js';
import { newWaiting } from '../desk/waiting-list.js';
import { contractIn, withdraw } from '../legal/contracts.js';
import { aProduct, ASSIGNMENTS, assigned } from '../legal/policies.js';
import { newRule } from '../notifications/reminders.js';
import { newConnection } from '../octo/connections.js';
import { reserve as reserveUnits } from '../octo/orders.js';
import { newShop } from '../octo/shop.js';
import { DEPARTURES, newDeparture } from '../operations/departures.js';
import { archived } from '../operations/facilities.js';
import { newResource, RESOURCES } from '../operations/resources.js';
import type { TestApp } from '../setup/app.js';
import { MANUAL, makeTrip, external, reserve, reservedTrip, simulate, unconfirmedTrip } from '../trips/trips.js';

/** Triggers the events of jobs, reversals and failures, which a single successful call does not cause. */
export const eventMakers: Record<string, (app: TestApp) => Promise<unknown>> = {
  'allotment.reclaimed': async (app) => {
    const { allotment } = await allotted(app, { release: { mode: 'manual', steps: [{ daysBefore: 21 }] } });
    await app.as('owner').post(`${ALLOTMENTS}/${allotment.id}/releases`);
    await reversed(app, allotment.id, 'distribution.allotment.release');
  },
  'allotment.slot_short': async (app) => {
    const { allotment, departure } = await allotted(app, { capacity: 10, units: 8 });
    const change = (body: object, query = '') => app.as('owner').patch(`${ALLOTMENTS}/${allotment.id}${query}`, body);
    await change({ validTo: allotment['validFrom'] });
    await app.as('owner').patch(`/v1/admin/operations/departures/${departure.id}`, { capacity: 5 });
    await change({ validTo: null }, '?onShortage=reduce');
  },
  'departure.guaranteed, departure.minimum_not_reached': async (app) => {
    const decideBy = new Date(app.now().getTime() - 1_000).toISOString();
    const { id } = await newDeparture(app, { minParticipants: 6, decideBy });
    await asSystem(() => app.nest.get(DepartureMinimumsService).reportMissed());
    await app.as('owner').post(`${DEPARTURES}/${id}/guarantee`);
  },
  'customer.erased': async (app) => {
    const { id } = await newCustomer(app);
    const erasures = `${CUSTOMERS}/${id}/erasures`;
    const { body } = await app.as('owner').post<{ data: { id: string } }>(erasures, { reason: 'Request by letter' });
    await app.as('owner').post(`${erasures}/${body.data.id}/execution`);
    await asSystem(() => app.nest.get(ErasuresService, { strict: false }).erase({ erasureId: body.data.id }));
  },
  'customer.restored, customer.separated': async (app) => {
    const [one, two] = await Promise.all([newCustomer(app), newCustomer(app)]);
    await app.as('owner').post(`${CUSTOMERS}/${one.id}/merges`, { duplicateIds: [two.id] });
    await reversed(app, one.id, 'customers.customer.merge');
    await app.as('owner').post(`${CUSTOMERS}/${one.id}/archival`);
    await reversed(app, one.id, 'customers.customer.archive');
  },
  'octo_booking.held, octo_booking.changed, octo_booking.confirmed, octo_booking.cancelled, octo_booking.expired':
    async (app) => {
      const shop = await newShop(app);
      const held = await reserveUnits(shop, [shop.adult]);
      await shop.reseller.post(`/octo/bookings/${held.uuid}/extend`, { expirationMinutes: 60 });
      await shop.reseller.post(`/octo/bookings/${held.uuid}/confirm`, { contact: { fullName: 'Ana Pop' } });
      await shop.reseller.post(`/octo/bookings/${held.uuid}/cancel`, {});
      const { id } = await reserveUnits(shop, [shop.adult], { expirationMinutes: 1 });
      await app.sql(`update octo_bookings set expires_at = $2 where id = $1`, [id, app.now()]);
      await asSystem(() => app.nest.get(OctoBookingsService, { strict: false }).expire(id));
    },
  'partner_booking.changed': async (app) => {
    const { channelId } = await newConnection(app);
    await confirmedBooking(app.as('owner'), { booking: { channelId } });
  },
  'facility.restored': async (app) => {
    await reversed(app, (await archived(app)).id, 'operations.facility.delete');
  },
  'policy_assignment.restored': async (app) => {
    const { assignment } = await assigned(app, 'cancellation', aProduct());
    await app.as('owner').delete(`${ASSIGNMENTS}/${assignment.id}`);
    await reversed(app, assignment.id, 'legal.policy_assignment.remove');
  },
  'contract.signed': async (app) => {
    const { reference } = await contractIn(app, 'sent');
    const signature = {
      signerName: 'Clara Meier',
      signedStatement: 'I agree.',
      signerAddress: null,
      signerAgent: null,
    };
    await asSystem(() => app.nest.get(ContractsService, { strict: false }).sign(reference, signature));
  },
  'contract.restored': async (app) => {
    const { id, reference } = await contractIn(app, 'issued');
    await withdraw(app, id);
    await reversed(app, reference, 'legal.contract.withdraw');
  },
  'trip.unreserved': async (app) => {
    const { envelopeId } = await reservedTrip(app.as('owner'), [MANUAL]);
    await reverse(app, (await entryOf(app, envelopeId, 'trips.trip.reserve')).id);
  },
  'trip.reservation_failed': async (app) => {
    const { envelopeId } = await makeTrip(app.as('owner'), [external(await simulate(app, { hold: 'refuse' }))]);
    expect((await reserve(app.as('owner'), envelopeId)).status).toBe(409);
  },
  'trip.attention_raised, trip.attention_resolved, trip.confirmation_refused': async (app) => {
    const { resolution } = await unconfirmedTrip(app);
    expect((await app.as('owner').post(resolution, { resolution: 'written_off' })).status).toBe(200);
  },
  'trip.component_cancelled': async (app) => {
    const { bookingId } = await unconfirmedTrip(app);
    await cancelBooking(app.as('owner'), bookingId);
  },
  'booking.departure_not_followed': async (app) => {
    const { id: departureId } = await newDeparture(app);
    const { booking } = await confirmedBooking(app.as('owner'), { item: { departureId } });
    app.nest.get(Listeners).add(BookingListener, 1, {
      dateMoved: async ({ id }) => {
        if (id === booking.id) throw conflict('rejected', 'Rejected by the test');
      },
    });
    const times = { startsAt: '2130-03-02T06:00:00Z', endsAt: '2130-03-02T10:00:00Z' };
    await app.as('owner').patch(`${DEPARTURES}/${departureId}`, times);
  },
  'payment_plan.redated': async (app) => {
    const bookingId = await book(app.as('owner'), { startDate: app.day(100) });
    await confirm(app.as('owner'), bookingId);
    await app.as('owner').patch(`/v1/admin/bookings/${bookingId}`, { startDate: app.day(80) });
  },
  'commission.accrued': async (app) => {
    const item = await soldItem(app.as('owner'));
    await earn(app.as('owner'), item.id);
    await confirm(app.as('owner'), item.bookingId);
  },
  'commission.adjusted': async (app) => {
    const owner = app.as('owner');
    const item = await departedItem(owner);
    const line = await earn(owner, item.id, terms({ payableTrigger: 'departed' }));
    await owner.post(`${commission(line)}/payout`, { paidOn: app.day() });
    await owner.patch(`/v1/admin/bookings/${item.bookingId}/items/${item.id}`, { quantity: 2 });
  },
  'commission.withdrawn, invoice.settled': async (app) => {
    const owner = app.as('owner');
    const { id } = await bookingWith(app, { installments: [['2026-03-01', 10_000]] });
    const [item] = await app.sql<{ id: string }>('select id from booking_items where booking_id = $1', [id]);
    await earn(owner, item?.id ?? '');
    await invoicing(() => owner).issued(id);
    await takeBack(owner, (await recorded(owner, received(id, 10_000))).id);
  },
  'payment_schedule.cancelled, payment_schedule.overdue': async (app) => {
    const [bookingId, first] = await planned(app.as('owner'));
    await change(app.as('owner'), first, { dueDate: app.day(-1) });
    await asSystem(() => app.nest.get(PaymentPlanJobs).publishOverdue());
    await cancelBooking(app.as('owner'), bookingId);
  },
  'reminder.sent': async (app) => {
    const { id } = await bookingWith(app, { installments: [[app.day(), 12_345]] });
    await app.sql('update bookings set customer_email = $2 where id = $1', [id, `${id}@example.com`]);
    const rule = await newRule(app, {
      ...{ trigger: 'installment_due', sendTime: '00:00' },
      stages: [{ offsetDays: 0, channels: [{ channel: 'email' }] }],
    });
    await asSystem(() => app.nest.get(ReminderJobs, { strict: false }).plan({ ruleId: rule.id }));
    await asSystem(() => app.nest.get(DeliveryJobs, { strict: false }).sendDue());
  },
  'message.bounced, message.complained': async (app) => {
    for (const kind of ['bounce', 'complaint']) {
      const [recipient, id] = [`clara-${kind}@example.com`, newId('nmsg')];
      await app.sql(
        `insert into notification_messages (id, kind, status, recipient, recipient_kind, subject, text, attempts, send_at, sent_at,
           created_at, updated_at)
         values ($1, 'manual', 'sent', $2, 'primary', 'x', 'x', 1, now(), now(), now(), now())`,
        [id, recipient],
      );
      const token = app.nest.get(MessageTokens, { strict: false }).create('bounce', id, recipient);
      const report = kind === 'bounce' ? { kind, token, action: 'failed', status: '5.1.1' } : { kind, token };
      await app.with(process.env.BOUNCE_REPORT_SECRET ?? '').post('/v1/public/notifications/bounce-reports', report);
    }
  },
  'suppression.created, suppression.lifted': async (app) => {
    const path = '/v1/admin/notifications/suppressions';
    const { body } = await app.as('owner').post<{ data: { id: string } }>(path, { address: 'no-mail@example.com' });
    await app.as('owner').post(`${path}/${body.data.id}/lifting`, { reason: 'The mailbox works again' });
  },
  'waiting_entry.requeued, waiting_entry.expired, waiting_entry.reinstated': async (app) => {
    const { id, productId } = await newDeparture(app);
    await newWaiting(app, { departureId: id });
    await newWaiting(app, { productId, from: '2127-05-01', to: '2127-05-31' });
    await app.as('owner').post(`${DEPARTURES}/${id}/cancellation`, {});
    await app.as('owner').post(`${DEPARTURES}/${id}/reinstatement`, {});
  },
  'resource.restored': async (app) => {
    const { id } = await newResource(app);
    await app.as('owner').post(`${RESOURCES}/${id}/archival`);
    await reversed(app, id, 'operations.resource.archive');
  },
  // Runs last, because it moves the clock.
  'contract.expired, trip.hold_expired': async (app) => {
    await contractIn(app, 'issued', { expiresAt: new Date(app.now().getTime() + 60_000).toISOString() });
    await reservedTrip(app.as('owner'), [MANUAL]);
    app.travel({ days: 1 });
    await asSystem(() => app.nest.get(ContractsService, { strict: false }).expireDue());
    await asSystem(() => app.nest.get(ReservationsService).sweep());
  },
};
