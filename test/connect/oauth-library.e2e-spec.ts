import { beforeAll, describe, expect, it } from '@jest/globals';
import * as oauth from 'oauth4webapi';
import { startApp, type TestApp } from '../setup/app.js';
import { clientsOf, newClient, newOperator, type OAuthClient, TOKEN } from './partners.js';

let app: TestApp;
let operatorId: string;
let client: OAuthClient;
beforeAll(async () => {
  app = await startApp();
  operatorId = await newOperator(app);
  client = await newClient(app, operatorId, { scopes: ['connect:bookings:read', 'connect:bookings:write'] });
});

/** The library requires TLS, which a proxy terminates: the URLs of the metadata are https. */
const tls = {
  [oauth.customFetch]: (url: string, call: RequestInit) => fetch(url.replace(/^https:/, 'http:'), call),
};
const address = (path: string) => `${app.url.replace(/^http:/, 'https:')}${path}`;

const request = async (
  method: (secret: string) => oauth.ClientAuth,
  secret: string,
  more: Record<string, string> = {},
) => {
  const server: oauth.AuthorizationServer = { issuer: address(''), token_endpoint: address(TOKEN) };
  const account: oauth.Client = { client_id: client.clientId };
  const response = await oauth.clientCredentialsGrantRequest(server, account, method(secret), more, tls);
  return oauth.processClientCredentialsResponse(server, account, response);
};

describe('a standard OAuth client library without adaptations', () => {
  it.each([
    ['HTTP Basic', oauth.ClientSecretBasic],
    ['the body', oauth.ClientSecretPost],
  ])(
    'a standard OAuth client library without adaptations gets a token with its credentials in %s and can use it',
    async (_, method) => {
      const token = await request(method, client.clientSecret, { scope: 'connect:bookings:read' });

      expect(token).toEqual({
        access_token: expect.any(String),
        token_type: 'bearer',
        expires_in: 3600,
        scope: 'connect:bookings:read',
      });
      const url = new URL(address(clientsOf(operatorId)));
      const answer = await oauth.protectedResourceRequest(token.access_token, 'GET', url, undefined, null, tls);
      expect(answer.status).toBe(200);
      await answer.body?.cancel();
    },
  );

  it('a standard OAuth client library without adaptations recognizes a rejected scope', async () => {
    await expect(request(oauth.ClientSecretPost, client.clientSecret, { scope: 'connect:*' })).rejects.toMatchObject({
      name: 'ResponseBodyError',
      status: 400,
      error: 'invalid_scope',
      error_description: expect.any(String),
    });
  });

  it('a standard OAuth client library without adaptations recognizes that its secret is wrong', async () => {
    await expect(request(oauth.ClientSecretBasic, 'wrong')).rejects.toMatchObject({
      name: 'WWWAuthenticateChallengeError',
      cause: [{ scheme: 'basic', parameters: { realm: 'connect' } }],
    });
  });
});

describe('the same library, configured only with the issuer', () => {
  it('an OAuth client library that is configured only with the issuer discovers the endpoints, introspects a token and revokes it', async () => {
    const origin = 'https://partners.example.com';
    const published = await startApp({ env: { BASE_URL: origin, DATABASE_POOL_SIZE: '4' } });
    const there = {
      [oauth.customFetch]: (url: string, call: RequestInit) => fetch(url.replace(origin, published.url), call),
    };
    const issuer = new URL(`${origin}/connect/v1`);
    const discovery = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...there });
    const server = await oauth.processDiscoveryResponse(issuer, discovery);
    expect(server).toEqual({
      issuer: `${origin}/connect/v1`,
      token_endpoint: `${origin}/connect/v1/oauth/token`,
      introspection_endpoint: `${origin}/connect/v1/oauth/introspect`,
      revocation_endpoint: `${origin}/connect/v1/oauth/revoke`,
      scopes_supported: [
        'connect:*',
        'connect:*:browse',
        'connect:*:delete',
        'connect:*:manage',
        'connect:*:read',
        'connect:*:sell',
        'connect:*:write',
        'connect:bookings:read',
        'connect:commissions:read',
        'connect:connector-providers:read',
        'connect:connector-providers:write',
        'connect:departures:read',
        'connect:events:read',
        'connect:grants:read',
        'connect:grants:write',
        'connect:oauth-clients:delete',
        'connect:oauth-clients:read',
        'connect:oauth-clients:write',
        'connect:octo:browse',
        'connect:octo:sell',
        'connect:operators:read',
        'connect:operators:write',
        'connect:webhooks:manage',
        'connect:webhooks:read',
      ],
      grant_types_supported: ['client_credentials'],
      response_types_supported: [],
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
      introspection_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
      revocation_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
      service_documentation: `${origin}/docs`,
    });

    const account: oauth.Client = { client_id: client.clientId };
    const method = oauth.ClientSecretBasic(client.clientSecret);
    const granted = await oauth.clientCredentialsGrantRequest(server, account, method, {}, there);
    const { access_token: token } = await oauth.processClientCredentialsResponse(server, account, granted);
    const introspect = async () => {
      const response = await oauth.introspectionRequest(server, account, method, token, there);
      return oauth.processIntrospectionResponse(server, account, response);
    };
    expect(await introspect()).toMatchObject({
      active: true,
      client_id: client.clientId,
      scope: 'connect:bookings:read connect:bookings:write',
    });
    await oauth.processRevocationResponse(await oauth.revocationRequest(server, account, method, token, there));
    expect(await introspect()).toEqual({ active: false });
  });
});
