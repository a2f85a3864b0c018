import { addItem, BOOKINGS, makeBooking } from '../bookings/bookings.js';
import { addTraveler, travelersOf } from '../bookings/travelers.js';
import { onlyVoucher, REDEMPTIONS, sold, vouchersOf } from '../bookings/vouchers.js';
import { DEPARTURES, newDeparture } from '../operations/departures.js';
import { newPart, newProduct } from '../products/products.js';
import type { TestApp } from '../setup/app.js';
import { inside, made, on, post, type Recipe, staff } from './recipe.js';

const TRAVELERS = travelersOf('{bookingId}');

const bookingWithTraveler = async (app: TestApp, terms: object = {}) => {
  const { id: bookingId } = await makeBooking(app.as('owner'));
  const { id: travelerId } = await addTraveler(app.as('owner'), bookingId, terms);
  return { bookingId, travelerId };
};

const ANSWERS = `${BOOKINGS}/{bookingId}/answers`;

/** A booking of a product with a question, and the body that answers it. */
const asked = async (app: TestApp) => {
  const { id: productId } = await newProduct(app);
  const { id: questionId } = await newPart(app, productId, 'questions', {
    scope: 'booking',
    type: 'text',
    label: 'Hotel',
  });
  const { id: departureId } = await newDeparture(app, { productId });
  const { id: bookingId } = await makeBooking(app.as('owner'));
  await addItem(app.as('owner'), bookingId, { departureId });
  return { bookingId, body: { answers: [{ questionId, values: ['Esplanada'] }] } };
};

const VOUCHER = `${vouchersOf('{bookingId}')}/{voucherId}`;

const voucherOf = async (app: TestApp) => {
  const { sale, voucher } = await onlyVoucher(app);
  const parameters = { bookingId: sale.bookingId, voucherId: voucher.id };
  return { voucher, prepared: { ...staff(app), ...inside('voucher', voucher.id, parameters) } };
};

export const travelersRecipes: Record<string, Recipe> = {
  [`POST ${vouchersOf('{bookingId}')}`]: async (app) => {
    const { bookingId, item } = await sold(app, { rule: 'never', people: 1 });
    const subject = (answer: object) => ({ type: 'voucher', id: (answer as { id: string }[])[0]?.id ?? '' });
    return { ...staff(app), parameters: { bookingId }, body: { itemIds: [item.id] }, subject };
  },
  [`POST ${BOOKINGS}/{bookingId}/copies`]: async (app) => {
    const { bookingId } = await bookingWithTraveler(app);
    await addItem(app.as('owner'), bookingId, { departureId: (await newDeparture(app)).id });
    return {
      ...{ ...staff(app), parameters: { bookingId }, body: {}, subject: made('booking') },
      follows: ['bookings.booking.create', 'bookings.traveler.create', 'bookings.booking_item.create'],
    };
  },
  [`POST ${BOOKINGS}/{bookingId}/dispatch`]: async (app) => {
    const { bookingId } = await sold(app, { booking: { customerEmail: 'clara@example.com' } });
    const subject = made('notification_message');
    return { ...staff(app), parameters: { bookingId }, body: { kinds: ['vouchers'] }, subject };
  },
  [`POST ${VOUCHER}/voiding`]: async (app) => ({ ...(await voucherOf(app)).prepared, body: { reason: 'Lost' } }),
  [`POST ${VOUCHER}/reinstatement`]: async (app) => {
    const { voucher, prepared } = await voucherOf(app);
    await post(app, `${vouchersOf(prepared.parameters['bookingId'] ?? '')}/${voucher.id}/voiding`, { reason: 'Lost' });
    return { ...prepared, body: { reason: 'Found' } };
  },
  [`POST ${REDEMPTIONS}`]: async (app) => {
    const { voucher, prepared } = await voucherOf(app);
    const follows = ['operations.departure.check_in'];
    return { ...staff(app), subject: prepared.subject, body: { code: voucher.code }, follows };
  },
  [`DELETE ${REDEMPTIONS}/{voucherId}`]: async (app) => {
    const { voucher, prepared } = await voucherOf(app);
    await post(app, REDEMPTIONS, { code: voucher.code });
    const follows = ['operations.departure.check_in'];
    return { ...prepared, parameters: { voucherId: voucher.id }, follows };
  },
  [`PUT ${ANSWERS}`]: async (app) => {
    const { bookingId, body } = await asked(app);
    return { ...staff(app), ...inside('booking', bookingId, { bookingId }), body };
  },
  [`POST ${ANSWERS}/{answerId}/reveal`]: async (app) => {
    const { bookingId, body } = await asked(app);
    const { body: answer } = await app
      .as('owner')
      .put<{ data: { answers: { id: string }[] } }>(`${BOOKINGS}/${bookingId}/answers`, body);
    const answerId = answer.data.answers[0]?.id ?? '';
    return {
      ...staff(app),
      ...inside('booking_answer', answerId, { bookingId, answerId }),
      body: { purpose: 'Menu' },
    };
  },
  [`POST ${TRAVELERS}`]: async (app) => {
    const { id: bookingId } = await makeBooking(app.as('owner'));
    return {
      ...staff(app),
      parameters: { bookingId },
      body: { lastName: 'Ionescu' },
      subject: made('booking_traveler'),
    };
  },
  [`PUT ${TRAVELERS}`]: async (app) => {
    const { bookingId } = await bookingWithTraveler(app);
    return {
      ...staff(app),
      ...inside('booking', bookingId, { bookingId }),
      body: { travelers: [{ lastName: 'Ionescu' }] },
      follows: ['bookings.traveler.create', 'bookings.traveler.delete'],
    };
  },
  [`PATCH ${TRAVELERS}/{travelerId}`]: async (app) => {
    const place = await bookingWithTraveler(app);
    return { ...staff(app), ...inside('booking_traveler', place.travelerId, place), body: { lastName: 'Pop' } };
  },
  [`DELETE ${TRAVELERS}/{travelerId}`]: async (app) => {
    const place = await bookingWithTraveler(app);
    return { ...staff(app), ...inside('booking_traveler', place.travelerId, place) };
  },
  [`POST ${TRAVELERS}/{travelerId}/document/reveal`]: async (app) => {
    const document = { type: 'passport', number: '054321987', issuingCountry: 'RO' };
    const place = await bookingWithTraveler(app, { document });
    return { ...staff(app), ...inside('booking_traveler', place.travelerId, place), body: { purpose: 'Check-in' } };
  },
  [`POST ${DEPARTURES}/{id}/check-ins`]: async (app) => {
    const { id } = await newDeparture(app);
    const { id: bookingId } = await makeBooking(app.as('owner'));
    const { id: itemId } = await addItem(app.as('owner'), bookingId, { departureId: id });
    return { ...staff(app), ...on('departure', id), body: { state: 'arrived', seats: [{ itemId, seat: 1 }] } };
  },
  [`PUT ${DEPARTURES}/{id}/rooming`]: async (app) => {
    const { id } = await newDeparture(app);
    const room = { from: '2127-05-12', to: '2127-05-14', type: 'family', capacity: 5, label: '12', note: 'Baby cot' };
    return { ...staff(app), ...on('departure', id), body: { rooms: [room] } };
  },
  [`PUT ${BOOKINGS}/{bookingId}/items/{itemId}/travelers`]: async (app) => {
    const { bookingId, travelerId } = await bookingWithTraveler(app);
    const { id: itemId } = await addItem(app.as('owner'), bookingId);
    return {
      ...staff(app),
      ...inside('booking_item', itemId, { bookingId, itemId }),
      body: { travelerIds: [travelerId] },
    };
  },
};
