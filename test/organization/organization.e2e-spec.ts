import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { reversed } from '../action-ledger/reversals.js';
import { invalid, problem, staffWith } from '../finance/invoices.js';
import { fetchFile } from '../finance/renditions/rendering.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import { jpeg, png } from './logos.js';

const PROFILE = '/v1/admin/organization/profile';
const SETTINGS = '/v1/admin/organization/settings';
const LOGO = '/v1/admin/organization/logo';
const ACCOUNT = { holder: 'Alpine Tours GmbH', iban: 'DE89370400440532013000', currency: 'EUR' };

interface Profile extends Record<string, unknown> {
  legalName: string;
  bankAccounts: { iban: string; isDefault: boolean }[];
  logo: { sha256: string; type: string } | null;
  version: number;
}
interface Envelope {
  data: Profile;
}

let app: TestApp;
let owner: TestClient;
let before: Profile;

beforeAll(async () => {
  app = await startApp();
  owner = app.as('owner');
  before = (await owner.get<Envelope>(PROFILE)).body.data;
});

const patch = (body: object, headers: Record<string, string> = {}) => owner.patch<Envelope>(PROFILE, body, { headers });
const putLogo = (raw: Buffer, type = 'image/png') =>
  owner.put<Envelope & { code: string }>(LOGO, undefined, { raw, headers: { 'content-type': type } });

describe('the profile of the organization', () => {
  // Other files use this database.
  afterEach(async () => {
    const { logo: _logo, version: _version, createdAt: _created, updatedAt: _updated, ...values } = before;
    await owner.patch(PROFILE, values);
  });

  it('the first start copies the seller of the environment to the profile', async () => {
    const [entry] = await app.sql<{ action: string; actor_type: string }>(
      `select action, actor_type from action_ledger_entries where subject_type = 'organization_profile'
       order by sequence limit 1`,
    );
    expect(entry).toEqual({ action: 'organization.profile.create', actor_type: 'system' });
    expect(before.legalName).not.toBe('');
  });

  it('all members of a profile are stored and returned', async () => {
    const values = {
      legalName: 'Alpine Tours GmbH',
      tradeName: 'Alpine Tours',
      address: 'Seestrasse 1\n6003 Luzern',
      country: 'CH',
      email: 'office@example.com',
      phone: '+41 41 000 00 00',
      emergencyPhone: '+41 41 000 00 01',
      website: 'https://www.example.com',
      registrationNumber: 'CHE-123.456.789',
      licenceNumber: 'TL-4711',
      taxId: '27/123/45678',
      vatId: 'DE123456789',
      insolvencyProtection: 'Travel Guarantee Fund',
      bankAccounts: [{ ...ACCOUNT, bic: 'COBADEFFXXX', isDefault: true }],
      footerText: { en: 'Thank you.', de: 'Danke.', fr: null, es: null, it: null, ro: 'Mulțumim.' },
      defaultLanguage: 'de',
    };
    const { status, body, headers } = await patch(values);
    expect([status, body.data]).toEqual([200, expect.objectContaining(values)]);
    expect(headers['etag']).toBe(`"${body.data.version}"`);
    expect((await owner.get(PROFILE)).body).toEqual(body);
    const cleared = { tradeName: null, country: null, footerText: {}, defaultLanguage: 'en' };
    expect((await patch(cleared)).body.data).toMatchObject({ ...cleared, footerText: { en: null }, country: null });
  });

  it('IBANs are stored without spaces, and the first account is the default unless another one is', async () => {
    const swiss = { ...ACCOUNT, iban: 'ch93 0076 2011 6238 5295 7', currency: 'CHF' };
    const { body } = await patch({ bankAccounts: [swiss, ACCOUNT] });
    expect(body.data.bankAccounts.map(({ iban, isDefault }) => [iban, isDefault])).toEqual([
      ['CH9300762011623852957', true],
      [ACCOUNT.iban, false],
    ]);
    const other = await patch({ bankAccounts: [swiss, { ...ACCOUNT, isDefault: true }] });
    expect(other.body.data.bankAccounts.map(({ isDefault }) => isDefault)).toEqual([false, true]);
  });

  it.each([
    [{ iban: 'DE88370400440532013000' }, 'bankAccounts.0.iban', 'wrong_format'],
    [{ iban: 'DE8937040044053201300' }, 'bankAccounts.0.iban', 'wrong_format'],
    [{ bic: 'COBADE' }, 'bankAccounts.0.bic', 'wrong_format'],
    [{ currency: 'eur' }, 'bankAccounts.0.currency', 'wrong_format'],
  ])('a bank account with %j is rejected', async (member, path, code) => {
    const { status, body } = await patch({ bankAccounts: [{ ...ACCOUNT, ...member }] });
    expect([status, body]).toEqual([400, invalid(path, code)]);
  });

  it('two default accounts are rejected, and an IBAN that occurs twice', async () => {
    const [one, other] = [ACCOUNT, { ...ACCOUNT, iban: 'CH9300762011623852957' }];
    const both = await patch({ bankAccounts: [one, other].map((account) => ({ ...account, isDefault: true })) });
    expect([both.status, both.body]).toEqual([400, invalid('bankAccounts', 'several_defaults')]);
    const twice = await patch({ bankAccounts: [one, one] });
    expect([twice.status, twice.body]).toEqual([400, invalid('bankAccounts', 'duplicate')]);
  });

  it.each([
    ['country', 'XX', 'wrong_format'],
    ['country', 'de', 'wrong_format'],
    ['legalName', '', 'too_short'],
    ['defaultLanguage', 'ja', 'unknown_value'],
    ['website', 'javascript:alert(1)', 'wrong_format'],
    ['email', 'office', 'wrong_format'],
  ])('a profile rejects %s %j', async (member, value, code) => {
    const { status, body } = await patch({ [member]: value });
    expect([status, body]).toEqual([400, invalid(member, code)]);
  });

  it('a change of the profile can be reversed', async () => {
    const { body } = await patch({ legalName: 'Before Ltd', bankAccounts: [ACCOUNT] });
    await patch({ legalName: 'After Ltd', bankAccounts: [] });
    await reversed(app, 'organization', 'organization.profile.update');
    expect((await owner.get<Envelope>(PROFILE)).body.data).toMatchObject({
      legalName: 'Before Ltd',
      bankAccounts: body.data.bankAccounts,
    });
  });

  it('of two changes of one version of the profile one is rejected with 412', async () => {
    const { version } = (await owner.get<Envelope>(PROFILE)).body.data;
    const match = { 'If-Match': `"${version}"` };
    const answers = await Promise.all(['One', 'Two'].map((legalName) => patch({ legalName }, match)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412]);
  });

  it('the profile is read with organization:read and changed with organization:write', async () => {
    const reader = await staffWith(app, 'organization:read');
    expect((await reader.get(PROFILE)).status).toBe(200);
    const { status, body } = await reader.patch(PROFILE, { legalName: 'x' });
    expect([status, body]).toEqual([403, problem('forbidden', { requiredScope: 'organization:write' })]);
    expect((await (await staffWith(app, 'finance:*')).get(PROFILE)).status).toBe(403);
  });
});

describe('the logo', () => {
  it('a logo is stored as it is, described in the profile, downloaded as an attachment, and removed', async () => {
    const bytes = png({ width: 60, height: 30 });
    const { status, body } = await putLogo(bytes, 'application/octet-stream');
    expect([status, body.data.logo]).toEqual([
      200,
      expect.objectContaining({ type: 'image/png', sizeBytes: bytes.length, widthPixels: 60, heightPixels: 30 }),
    ]);
    const authorization = `Bearer ${app.credentials.staff.token}`;
    const file = await fetchFile(`${app.url}${LOGO}`, { authorization });
    expect([file.status, file.bytes.equals(bytes)]).toEqual([200, true]);
    expect(file.headers).toMatchObject({
      'content-type': 'image/png',
      'content-disposition': 'attachment; filename="logo.png"',
      'x-content-type-options': 'nosniff',
    });
    expect((await owner.delete<Envelope>(LOGO)).body.data.logo).toBeNull();
    expect((await owner.get(LOGO)).status).toBe(404);
    expect((await owner.delete(LOGO)).status).toBe(404);
  });

  it('the type of a logo is recognized by its content, not by the header', async () => {
    expect((await putLogo(jpeg(), 'image/png')).body.data.logo).toMatchObject({ type: 'image/jpeg' });
    const { status, body } = await putLogo(Buffer.from('<svg/>'));
    expect([status, body]).toEqual([
      422,
      problem('file_type_refused', { field: 'body', allowed: ['image/png', 'image/jpeg'] }),
    ]);
  });

  it('the size of a logo is limited before its bytes are read as an image', async () => {
    const limit = await putLogo(Buffer.alloc(512 * 1024));
    expect([limit.status, limit.body.code]).toEqual([422, 'file_type_refused']);
    const { status, body } = await putLogo(Buffer.alloc(513 * 1024));
    expect([status, body]).toEqual([413, problem('payload_too_large')]);
  });

  it('other media types, compressed bodies and empty ones are rejected', async () => {
    expect((await putLogo(png(), 'text/html')).status).toBe(415);
    expect((await owner.put(LOGO, {})).status).toBe(415);
    const headers = { 'content-type': 'image/png', 'content-encoding': 'gzip' };
    expect((await owner.put(LOGO, undefined, { raw: png(), headers })).status).toBe(415);
    const { status, body } = await putLogo(Buffer.alloc(0));
    expect([status, body]).toEqual([400, invalid('', 'not_a_file')]);
  });

  it('a replacement and a removal of the logo can be reversed', async () => {
    await putLogo(png({ width: 10, height: 10 }));
    const first = (await owner.get<Envelope>(PROFILE)).body.data.logo;
    await putLogo(png({ width: 20, height: 20 }));
    await reversed(app, 'organization', 'organization.logo.replace');
    expect((await owner.get<Envelope>(PROFILE)).body.data.logo).toEqual(first);
    await owner.delete(LOGO);
    await reversed(app, 'organization', 'organization.logo.remove');
    expect((await owner.get<Envelope>(PROFILE)).body.data.logo).toEqual(first);
    await owner.delete(LOGO);
  });

  it('two requests with the same Idempotency-Key and other bytes are rejected', async () => {
    const headers = { 'content-type': 'image/png', 'Idempotency-Key': 'logo-put-once' };
    const put = (raw: Buffer) => owner.put<{ code: string }>(LOGO, undefined, { raw, headers });
    expect([(await put(png())).status, (await put(png())).status]).toEqual([200, 200]);
    const { status, body } = await put(png({ width: 11 }));
    expect([status, body.code]).toEqual([422, 'idempotency_key_reused']);
    await owner.delete(LOGO);
  });
});

describe('the settings of the organization', () => {
  it('settings have defaults, are changed one by one, and a change can be reversed', async () => {
    const { body } = await owner.get<{ data: { unknownStepMinutes: number } }>(SETTINGS);
    expect(body.data.unknownStepMinutes).toBe(15);
    const changed = await owner.patch<typeof body>(SETTINGS, { unknownStepMinutes: 30 });
    expect([changed.status, changed.body.data.unknownStepMinutes]).toEqual([200, 30]);
    await reversed(app, 'organization', 'organization.settings.update');
    expect((await owner.get<typeof body>(SETTINGS)).body.data.unknownStepMinutes).toBe(15);
  });

  it.each([
    [0, 'too_small'],
    [1_441, 'too_large'],
    [1.5, 'wrong_type'],
  ])('unknownStepMinutes %s is rejected', async (unknownStepMinutes, code) => {
    const { status, body } = await owner.patch(SETTINGS, { unknownStepMinutes });
    expect([status, body]).toEqual([400, invalid('unknownStepMinutes', code)]);
  });
});
