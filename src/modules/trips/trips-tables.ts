import { APPEND, declareTables } from '../../platform/database/table-declarations.js';

declareTables({
  provider_quotes: { impersonal: ['request', 'quote'] },
  reservation_steps: { impersonal: ['provider', 'offer', 'failure'] },
  simulated_products: { impersonal: ['behaviour'] },
  trip_component_events: { rights: APPEND },
  trip_envelopes: { personal: { contact: ['search_text'] } },
});
