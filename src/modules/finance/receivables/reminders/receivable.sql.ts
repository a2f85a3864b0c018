/**
 * Whether the booking owes an `installment`: the plan of a draft booking is a quote, and of a cancelled booking only the
 * agreed fee is owed. The statement joins `booking`.
 */
export const IS_RECEIVABLE = `(booking.status <> 'draft' and (booking.status <> 'cancelled' or installment.type = 'fee'))`;
