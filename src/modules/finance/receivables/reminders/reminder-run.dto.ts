import { Id, Optional } from '../../../../platform/http/fields.js';

/** The subject of the reminder: an open installment or an open invoice of the booking. */
export class RequestReminder {
  /**
   * Installment of the reminder (prefix `psch`). Copy it from `data[].id` of `GET
   * /v1/admin/finance/bookings/{bookingId}/payment-schedules`.
   */
  @Optional()
  @Id('psch')
  scheduleId?: string;

  /** Issued invoice of the reminder (prefix `inv`). */
  @Optional()
  @Id('inv')
  invoiceId?: string;
}
