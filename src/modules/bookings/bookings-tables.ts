import { APPEND, DELETE, declareTables } from '../../platform/database/table-declarations.js';

declareTables({
  booking_departure_moves: { rights: DELETE },
  booking_item_history: { rights: APPEND },
  booking_item_travelers: { rights: DELETE },
  booking_status_history: { rights: APPEND },
  booking_travelers: { personal: { travel: ['search_text'] } },
  traveler_consents: { rights: APPEND, personal: { proof: ['source'] } },
  bookings: { personal: { contract: ['search_text'] } },
});
