import { checksum62 } from '../../platform/ids/id.js';
import type { ClientCredentials } from './oauth-clients/client-credentials.js';

const SECRET = 'DemoDataOnlyNeverLoadedInProduction'.padEnd(43, '0');

/** The demo client that the API document's example of the token endpoint names. It may read bookings, nothing else. */
export const DEMO_CREDENTIALS: ClientCredentials = {
  clientId: 'occ_DemoDataOnly000000000000',
  clientSecret: `ocs_${SECRET}${checksum62(SECRET)}`,
};
