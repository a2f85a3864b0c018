import { describe, expect, it } from '@jest/globals';
import { invalidMembers, issue, issuesOf } from '../../../../test/setup/issues.js';
import { CreateChannel, ListChannels, UpdateChannel } from './channel.dto.js';

/** An issue whose message begins with the name of its member, as most do. */
const about = (path: string, message: string, code: string) => issue(path, code, `${path} ${message}`);

describe('a new channel', () => {
  const metadata = about('metadata', 'must be an object of at most 16384 bytes and 5 levels', 'unfit_object');
  const website = about('website', 'must be a web address; with a scheme, http or https', 'wrong_format');
  const noNul = (path: string) => issue(path, 'nul', 'NUL is not allowed in text');
  const wellFormed = (path: string) => issue(path, 'ill_formed_text', 'Text must be well-formed Unicode');
  const forbidden = (path: string) => issue(path, 'forbidden_name', 'This name is not allowed');

  it.each([
    [
      'a name of white space',
      '{"name":"  "}',
      about('name', 'must be longer than or equal to 1 characters', 'too_short'),
    ],
    [
      'a name of 256 characters',
      JSON.stringify({ name: 'x'.repeat(256) }),
      about('name', 'must be shorter than or equal to 255 characters', 'too_long'),
    ],
    [
      'a line break in the name',
      '{"name":"a\\nb"}',
      about('name', 'must not contain control characters', 'control_characters'),
    ],
    ['NUL in the name', '{"name":"a\\u0000b"}', noNul('name')],
    ['a lone surrogate in the name', '{"name":"a\\ud800b"}', wellFormed('name')],
    [
      'a description of 2,001 characters',
      JSON.stringify({ name: 'x', description: 'x'.repeat(2_001) }),
      about('description', 'must be shorter than or equal to 2000 characters', 'too_long'),
    ],
    [
      'a kind in capitals',
      '{"name":"x","kind":"Reseller"}',
      about('kind', 'must match /^[a-z][a-z0-9_-]*$/ regular expression', 'wrong_format'),
    ],
    [
      'a kind of 51 characters',
      JSON.stringify({ name: 'x', kind: 'k'.repeat(51) }),
      about('kind', 'must be shorter than or equal to 50 characters', 'too_long'),
    ],
    [
      'an unknown status',
      '{"name":"x","status":"closed"}',
      about('status', 'must be one of active, inactive, pending, archived', 'unknown_value'),
    ],
    ['a website that is a script', '{"name":"x","website":"javascript:alert(1)"}', website],
    ['a website of another scheme', '{"name":"x","website":"ftp://example.com"}', website],
    [
      'a website of 2,049 characters',
      JSON.stringify({ name: 'x', website: `https://example.com/${'x'.repeat(2_029)}` }),
      about('website', 'must be shorter than or equal to 2048 characters', 'too_long'),
    ],
    [
      'an invalid e-mail address',
      '{"name":"x","contactEmail":"petra"}',
      about('contactEmail', 'must be an e-mail address', 'wrong_format'),
    ],
    ['metadata that is a list', '{"name":"x","metadata":[]}', metadata],
    ['metadata of 6 levels', '{"name":"x","metadata":{"a":{"b":{"c":{"d":{"e":{}}}}}}}', metadata],
    ['metadata of more than 16 KiB', JSON.stringify({ name: 'x', metadata: { a: 'é'.repeat(8_200) } }), metadata],
    ['NUL in metadata', '{"name":"x","metadata":{"a":["\\u0000"]}}', noNul('metadata.a.0')],
    ['a lone surrogate in metadata', '{"name":"x","metadata":{"a":"\\udc00"}}', wellFormed('metadata.a')],
    ['a lone surrogate in a key', '{"name":"x","metadata":{"\\udc00":1}}', wellFormed('metadata')],
    ['the key __proto__', '{"name":"x","metadata":{"__proto__":{}}}', forbidden('metadata.__proto__')],
    ['the key constructor', '{"name":"x","metadata":{"a":{"constructor":1}}}', forbidden('metadata.a.constructor')],
    ['the key prototype', '{"name":"x","metadata":{"prototype":1}}', forbidden('metadata.prototype')],
    ['a list as body', '[]', issue('', 'wrong_type', 'The body must be a JSON object')],
    ...['systemKey', 'version', 'createdAt', 'actorId'].map(
      (member) =>
        [
          `the member ${member}`,
          `{"name":"x","${member}":"direct"}`,
          about(member, 'is not recognized', 'unknown_member'),
        ] as const,
    ),
  ] as const)('a new channel is rejected with %s', async (_, body, expected) => {
    expect(await issuesOf(CreateChannel, JSON.parse(body))).toEqual([expected]);
  });

  it('a new channel may be just within the limits', async () => {
    const longest = {
      name: 'x'.repeat(255),
      kind: 'k'.repeat(50),
      description: '😀'.repeat(2_000),
      website: `https://example.com/${'x'.repeat(2_028)}`,
    };
    expect(await issuesOf(CreateChannel, { ...longest, metadata: { a: 'x'.repeat(16_384 - 8) } })).toEqual([]);
    expect(await issuesOf(CreateChannel, { ...longest, metadata: { a: { b: { c: { d: {} } } } } })).toEqual([]);
  });
});

describe('a change of a channel', () => {
  it.each(['name', 'kind', 'status'])('a change of a channel rejects null for %s', async (field) => {
    expect(await invalidMembers(UpdateChannel, { [field]: null })).toEqual([field]);
  });

  it('a change of a channel requires at least one member', async () => {
    const none = issue('', 'empty', 'At least one member is required');
    expect(await issuesOf(UpdateChannel, {})).toEqual([none]);
  });

  it('a change of a channel rejects unknown members, an id among them', async () => {
    const unknown = (path: string) => about(path, 'is not recognized', 'unknown_member');
    const body = { id: 'chan_01k0dem000e000000000000002', systemKey: 'direct' };
    expect(await issuesOf(UpdateChannel, body)).toEqual([unknown('id'), unknown('systemKey')]);
  });
});

describe('a query for channels', () => {
  const whole = (path: string) => about(path, 'must be an integer number', 'wrong_type');
  const least = (path: string, min: number) => about(path, `must not be less than ${min}`, 'too_small');
  const most = (path: string, max: number) => about(path, `must not be greater than ${max}`, 'too_large');
  const status = (code: 'unknown_value' | 'wrong_type') =>
    about('status', 'must be one or more of active, inactive, pending, archived, separated by commas', code);
  const sort = about('sort', 'must be one of createdAt, -createdAt, name, -name', 'unknown_value');

  it.each([
    ['limit=0', [least('limit', 1)]],
    ['limit=201', [most('limit', 200)]],
    ['limit=ten', [whole('limit')]],
    ['limit=', [whole('limit')]],
    ['limit=10&limit=20', [whole('limit')]],
    ['offset=-1', [least('offset', 0)]],
    ['offset=100001', [most('offset', 100_000)]],
    ['status=closed', [status('unknown_value')]],
    ['status=active,closed', [status('unknown_value')]],
    ['status=active&status=pending', [status('wrong_type')]],
    ['sort=website', [sort]],
    ['sort=-', [sort]],
    ['search=', [about('search', 'must be longer than or equal to 1 characters', 'too_short')]],
    ['search=%00', [issue('search', 'nul', 'NUL is not allowed in text')]],
    ['kind=OTA', [about('kind', 'must match /^[a-z][a-z0-9_-]*$/ regular expression', 'wrong_format')]],
    ['name=x', [about('name', 'is not recognized', 'unknown_member')]],
    ['Limit=1', [about('Limit', 'is not recognized', 'unknown_member')]],
  ])('a query for channels is rejected with %s', async (query, issues) => {
    expect(await issuesOf(ListChannels, query)).toEqual(issues);
  });
});
