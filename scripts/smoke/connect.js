/** OAuth clients and their tokens, connector providers. */
export function connect(mark) {
  return {
    'connect: OAuth clients': async (service, { platformKey: token, operatorId }) => {
      const path = '/connect/v1/operators/{operatorId}/oauth-clients';
      const params = { operatorId };
      const body = { name: `Smoke ${mark}`, scopes: ['connect:bookings:read', 'connect:bookings:write'] };
      const { body: client } = await service.call(`POST ${path}`, { params, token, body, expect: 201 });
      const { body: list } = await service.call(`GET ${path}`, { params, token });
      service.same(
        'the list never shows a secret',
        list.data.filter((row) => 'clientSecret' in row),
        [],
      );

      const { body: granted } = await service.call('POST /connect/v1/oauth/token', {
        form: { grant_type: 'client_credentials', scope: 'connect:bookings:read' },
        headers: {
          authorization: `Basic ${Buffer.from(`${client.clientId}:${client.clientSecret}`).toString('base64')}`,
        },
      });
      service.same('the token carries the scope asked for', granted.scope, 'connect:bookings:read');
      await service.call('GET /connect/v1/connector-providers', { token: granted.access_token });

      const deletion = { params: { operatorId, clientId: client.clientId }, token };
      const { body: revoked } = await service.call(`DELETE ${path}/{clientId}`, deletion);
      service.same('the revoked client is not active', revoked.active, false);
      await service.call('GET /connect/v1/connector-providers', { token: granted.access_token, expect: 401 });
    },
    'connect: connector providers': async (service, { platformKey: token, providerKey }) => {
      const { body: before } = await service.call('GET /connect/v1/connector-providers', { token });
      const provider = before.data.find(({ key }) => key === providerKey);
      const path = 'PATCH /connect/v1/connector-providers/{providerKey}';
      const params = { providerKey };
      const schema = { type: 'object', properties: { smoke: { const: mark } } };
      const { body } = await service.call(path, { params, token, body: { applicationFormSchema: schema } });
      service.same('the form is the one sent', body.applicationFormSchema, schema);
      await service.call(path, { params, token, body: { applicationFormSchema: provider.applicationFormSchema } });
    },
  };
}
