/**
 * SQL: whether the customer owes an installment of this alias: the plan of a draft booking is a quote, and a cancelled booking owes
 * only the agreed fee. The statement joins `booking`.
 */
export const isReceivable = (installment: string) =>
  `(booking.status <> 'draft' and (booking.status <> 'cancelled' or ${installment}.type = 'fee'))`;

/** SQL: whether the customer owes `installment`. */
export const IS_RECEIVABLE = isReceivable('installment');
