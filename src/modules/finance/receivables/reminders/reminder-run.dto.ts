import { Id, Optional } from '../../../../platform/http/fields.js';

/** What the customer is to be reminded of: an open installment or an open invoice of the booking. */
export class RequestReminder {
  /**
   * Installment to remind of (prefix `psch`). Copy it from `data[].id` of
   * `GET /v1/admin/finance/bookings/{bookingId}/payment-schedules`.
   */
  @Optional()
  @Id('psch')
  scheduleId?: string;

  /** Issued invoice to remind of (prefix `inv`). */
  @Optional()
  @Id('inv')
  invoiceId?: string;
}
