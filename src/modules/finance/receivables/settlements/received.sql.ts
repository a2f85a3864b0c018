/** SQL: the money received for the booking `booking`, less what was paid back or is about to be. */
export const RECEIVED_CENTS = `(
  select greatest(coalesce(sum(case when payment.direction = 'in' then payment.amount_cents else -payment.amount_cents end), 0), 0)
  from payments payment where payment.booking_id = booking.id
    and (payment.status = 'completed' or (payment.status = 'requested' and payment.direction = 'out')))`;
