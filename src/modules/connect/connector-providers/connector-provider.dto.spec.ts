import { describe, expect, it } from '@jest/globals';
import { invalidMembers, issue, issuesOf } from '../../../../test/setup/issues.js';
import { ListConnectorProviders, UpdateConnectorProvider } from './connector-provider.dto.js';

describe('a new application form of a connector provider', () => {
  it('a new application form of a connector provider may be null or of 64 KiB', async () => {
    const ofBytes = (bytes: number) => ({ a: 'x'.repeat(bytes - '{"a":""}'.length) });
    expect(await issuesOf(UpdateConnectorProvider, { applicationFormSchema: null })).toEqual([]);
    expect(await issuesOf(UpdateConnectorProvider, { applicationFormSchema: ofBytes(65_536) })).toEqual([]);
    const message = 'applicationFormSchema is larger than 65536 bytes';
    expect(await issuesOf(UpdateConnectorProvider, { applicationFormSchema: ofBytes(65_537) })).toEqual([
      issue('applicationFormSchema', 'too_many_bytes', message),
    ]);
  });

  it('a new application form of a connector provider is measured in bytes of UTF-8', async () => {
    const ofLetters = (count: number) => ({ applicationFormSchema: { a: 'é'.repeat(count) } });
    expect(await issuesOf(UpdateConnectorProvider, ofLetters(32_764))).toEqual([]);
    expect(await invalidMembers(UpdateConnectorProvider, ofLetters(32_765))).toEqual(['applicationFormSchema']);
  });

  it.each([
    ['no body', undefined, ['applicationFormSchema']],
    ['an empty object', {}, ['applicationFormSchema']],
    ['another member', { applicationFormSchema: {}, name: 'x' }, ['name']],
    ['an array', { applicationFormSchema: [] }, ['applicationFormSchema']],
    ['a text', { applicationFormSchema: '{}' }, ['applicationFormSchema']],
    ['a number', { applicationFormSchema: 1 }, ['applicationFormSchema']],
    ['a form without its member', { fields: [] }, ['applicationFormSchema', 'fields']],
    ['an array as body', [], ['']],
  ])('a new application form of a connector provider is rejected with %s', async (_, body, paths) => {
    expect(await invalidMembers(UpdateConnectorProvider, body)).toEqual(paths);
  });
});

describe('a query for connector providers', () => {
  it.each([
    ['limit=', 'limit'],
    ['sort=key', 'sort'],
  ])('a query for connector providers rejects %s', async (query, path) => {
    expect(await invalidMembers(ListConnectorProviders, query)).toEqual([path]);
  });
});
