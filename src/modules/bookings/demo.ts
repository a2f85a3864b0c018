import { demoId } from '../../platform/id.js';
import type { BookingCalendar } from './bookings/booking-calendar.service.js';
import type { BookingChanges } from './bookings/booking-changes.service.js';
import type { BookingConfirmation } from './bookings/booking-confirmation.service.js';
import type { NewBookings } from './bookings/new-bookings.service.js';
import { demoBookings } from './demo-bookings.js';
import type { BookingItems } from './items/booking-items.service.js';

interface Makers {
  newBookings: NewBookings;
  items: BookingItems;
  changes: BookingChanges;
  confirmation: BookingConfirmation;
  calendar: BookingCalendar;
}

/** Takes the demo bookings the way staff would; the calendar does the rest. */
export async function loadDemoBookings({ newBookings, items, changes, confirmation, calendar }: Makers): Promise<void> {
  for (const { row, firstItem, booking, items: wanted, becomes } of demoBookings(calendar.today())) {
    const { id } = await newBookings.create({ ...booking, currency: 'EUR' }, demoId('book', row));
    for (const [index, item] of wanted.entries()) await items.add(id, item, { id: demoId('bkit', firstItem + index) });
    if (becomes === 'confirmed') await confirmation.confirm(id, null);
    if (becomes === 'cancelled') await changes.cancel(id, 'Called off', null);
  }
  await calendar.turn();
}
