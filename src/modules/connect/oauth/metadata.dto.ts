import { Text, Texts } from '../../../platform/http/fields.js';

const METHODS = ['client_secret_basic', 'client_secret_post'];
const SHORT = { max: 10, maxLength: 50 };

/** OAuth authorization server metadata according to RFC 8414. */
export class MetadataResponse {
  /** Identifier of the authorization server, a URL. */
  @Text({ max: 300 })
  issuer: string;

  /** URL that issues access tokens. */
  @Text({ max: 300 })
  token_endpoint: string;

  /** URL that returns the state of an access token (RFC 7662). */
  @Text({ max: 300 })
  introspection_endpoint: string;

  /** URL that revokes an access token (RFC 7009). */
  @Text({ max: 300 })
  revocation_endpoint: string;

  /**
   * Scopes of the operations of this surface. `connect:*` includes all of them; `connect:<area>:*` includes all actions of an
   * area, such as `connect:grants:*`. Clients may have scopes of further areas, which have no operations yet.
   */
  @Texts({ max: 200, maxLength: 200 })
  scopes_supported: string[];

  /** Grants of the token endpoint; only `client_credentials`. */
  @Texts(SHORT)
  grant_types_supported: string[];

  /** Always empty: there is no authorization endpoint. */
  @Texts(SHORT)
  response_types_supported: string[];

  /** Authentication methods of the token endpoint. */
  @Texts(SHORT)
  token_endpoint_auth_methods_supported: string[];

  /** Authentication methods of the introspection endpoint. */
  @Texts(SHORT)
  introspection_endpoint_auth_methods_supported: string[];

  /** Authentication methods of the revocation endpoint. */
  @Texts(SHORT)
  revocation_endpoint_auth_methods_supported: string[];

  /** URL of the documentation for developers. */
  @Text({ max: 300 })
  service_documentation: string;
}

/** Returns the metadata of the service for this base URL and these scopes. */
export function toMetadata(baseUrl: string, scopes: string[]): MetadataResponse {
  const issuer = `${baseUrl}/connect/v1`;
  return {
    issuer,
    token_endpoint: `${issuer}/oauth/token`,
    introspection_endpoint: `${issuer}/oauth/introspect`,
    revocation_endpoint: `${issuer}/oauth/revoke`,
    scopes_supported: scopes,
    grant_types_supported: ['client_credentials'],
    response_types_supported: [],
    token_endpoint_auth_methods_supported: METHODS,
    introspection_endpoint_auth_methods_supported: METHODS,
    revocation_endpoint_auth_methods_supported: METHODS,
    service_documentation: `${baseUrl}/docs`,
  };
}
