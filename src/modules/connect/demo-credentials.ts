import { checksum62 } from '../../platform/ids/id.js';
import type { ClientCredentials } from './oauth-clients/client-credentials.js';

const SECRET = 'DemoDataOnlyNeverLoadedInProduction'.padEnd(43, '0');

/** Credentials of the demo client in the API document's example of the token endpoint. It can only read bookings. */
export const DEMO_CREDENTIALS: ClientCredentials = {
  clientId: 'occ_DemoDataOnly000000000000',
  clientSecret: `ocs_${SECRET}${checksum62(SECRET)}`,
};
