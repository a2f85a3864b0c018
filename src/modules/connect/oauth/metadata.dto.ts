import { Text, Texts } from '../../../platform/http/fields.js';

const METHODS = ['client_secret_basic', 'client_secret_post'];
const SHORT = { max: 10, maxLength: 50 };

/** The members of RFC 8414 that there is something to say about. */
export class MetadataResponse {
  @Text({ max: 300 })
  issuer: string;

  @Text({ max: 300 })
  token_endpoint: string;

  @Text({ max: 300 })
  introspection_endpoint: string;

  @Text({ max: 300 })
  revocation_endpoint: string;

  @Texts(SHORT)
  grant_types_supported: string[];

  /** None: nobody is sent anywhere to log in. */
  @Texts(SHORT)
  response_types_supported: string[];

  @Texts(SHORT)
  token_endpoint_auth_methods_supported: string[];

  @Texts(SHORT)
  introspection_endpoint_auth_methods_supported: string[];

  @Texts(SHORT)
  revocation_endpoint_auth_methods_supported: string[];

  /** For people. */
  @Text({ max: 300 })
  service_documentation: string;
}

/** The metadata of the service that clients reach under this address. */
export function toMetadata(baseUrl: string): MetadataResponse {
  const issuer = `${baseUrl}/connect/v1`;
  return {
    issuer,
    token_endpoint: `${issuer}/oauth/token`,
    introspection_endpoint: `${issuer}/oauth/introspect`,
    revocation_endpoint: `${issuer}/oauth/revoke`,
    grant_types_supported: ['client_credentials'],
    response_types_supported: [],
    token_endpoint_auth_methods_supported: METHODS,
    introspection_endpoint_auth_methods_supported: METHODS,
    revocation_endpoint_auth_methods_supported: METHODS,
    service_documentation: `${baseUrl}/docs`,
  };
}
