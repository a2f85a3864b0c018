import { type CommandContext, type Outcome, ProgressReport } from './command.js';
import { BookingsService } from '../modules/bookings/index.js';
import { asSystem } from '../platform/context/request-context.js';

/** Creates customers from the contacts of bookings that have none. The service may be running. */
export async function linkCustomers({ app, tools }: CommandContext): Promise<Outcome> {
  const progress = new ProgressReport(tools, 'linking bookings', 'bookings');
  const bookings = await asSystem(() =>
    app.get(BookingsService).linkCustomers((linked) => {
      progress.update(linked, linked);
    }),
  );
  progress.end();
  return { result: { bookings }, lines: [`Gave ${bookings} bookings to their customers`] };
}
