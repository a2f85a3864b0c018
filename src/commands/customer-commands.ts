import { type CommandContext, type Outcome, ProgressReport } from './command.js';
import { BookingsService } from '../modules/bookings/index.js';
import { asSystem } from '../platform/context/request-context.js';

/** Links bookings without a customer record to customers, who are created if necessary. The service may be running. */
export async function linkCustomers({ app, tools }: CommandContext): Promise<Outcome> {
  const progress = new ProgressReport(tools, 'linking bookings', 'bookings');
  const bookings = await asSystem(() =>
    app.get(BookingsService).linkCustomers((linked) => {
      progress.update(linked, linked);
    }),
  );
  progress.end();
  return { result: { bookings }, lines: [`Linked ${bookings} bookings to customers`] };
}
