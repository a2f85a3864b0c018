/** How many allocations one request may ask for. */
export const MAX_WISHES = 100;

/** How many allocations of one payment may count at the same time; a plan and its invoices need far fewer. */
export const MAX_LIVE_ALLOCATIONS = 500;
