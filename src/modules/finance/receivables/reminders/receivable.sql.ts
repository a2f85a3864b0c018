/**
 * Tests whether the customer owes an `installment`: the plan of a draft booking is a quote, and a cancelled booking owes only
 * the agreed fee. The statement joins `booking`.
 */
export const IS_RECEIVABLE = `(booking.status <> 'draft' and (booking.status <> 'cancelled' or installment.type = 'fee'))`;
