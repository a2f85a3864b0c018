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

      const { body: metadata } = await service.call('GET /.well-known/oauth-authorization-server/connect/v1');
      service.same('the metadata names the client credentials grant', metadata.grant_types_supported, [
        'client_credentials',
      ]);
      const form = { client_id: client.clientId, client_secret: client.clientSecret, token: granted.access_token };
      const { body: known } = await service.call('POST /connect/v1/oauth/introspect', { form });
      service.same('introspection knows the token', [known.active, known.scope], [true, 'connect:bookings:read']);
      await service.call('POST /connect/v1/oauth/revoke', { form });
      const { body: over } = await service.call('POST /connect/v1/oauth/introspect', { form });
      service.same('a revoked token is not active', over, { active: false });

      const secrets = `${path}/{clientId}/secrets`;
      const place = { params: { operatorId, clientId: client.clientId }, token };
      const { body: second } = await service.call(`POST ${secrets}`, { ...place, body: {}, expect: 201 });
      const asked = { grant_type: 'client_credentials', client_id: client.clientId };
      for (const secret of [client.clientSecret, second.clientSecret]) {
        await service.call('POST /connect/v1/oauth/token', { form: { ...asked, client_secret: secret } });
      }
      const { body: both } = await service.call(`GET ${secrets}`, place);
      service.same(
        'both secrets are live',
        both.data.map(({ live }) => live),
        [true, true],
      );
      const old = { ...place, params: { ...place.params, secretId: both.data[1].id } };
      await service.call(`DELETE ${secrets}/{secretId}`, old);
      await service.call('POST /connect/v1/oauth/token', {
        form: { ...asked, client_secret: client.clientSecret },
        expect: 401,
      });

      const deletion = { params: { operatorId, clientId: client.clientId }, token };
      const { body: revoked } = await service.call(`DELETE ${path}/{clientId}`, deletion);
      service.same('the revoked client is not active', revoked.active, false);
      await service.call('GET /connect/v1/connector-providers', { token: granted.access_token, expect: 401 });
    },
    'connect: operators and grants': async (service, { platformKey: token }) => {
      const path = '/connect/v1/operators';
      const params = { operatorId: `op_smoke_${mark}` };
      const body = { id: params.operatorId, name: `Smoke ${mark}` };
      await service.call(`POST ${path}`, { token, body, expect: 201 });
      await service.call(`GET ${path}`, { token });
      const scopes = ['connect:bookings:*'];
      const grants = `${path}/{operatorId}/grants`;
      const { body: grant } = await service.call(`POST ${grants}`, { params, token, body: { scopes }, expect: 201 });
      const one = { params: { ...params, grantId: grant.id }, token };
      await service.call(`GET ${grants}`, { params, token });
      await service.call(`GET ${grants}/{grantId}`, one);
      const { body: paused } = await service.call(`PATCH ${grants}/{grantId}`, { ...one, body: { status: 'paused' } });
      service.same('the grant is paused', paused.status, 'paused');
      await service.call(`GET ${path}/{operatorId}`, { params, token });
      await service.call(`PATCH ${path}/{operatorId}`, { params, token, body: { status: 'inactive' } });
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
