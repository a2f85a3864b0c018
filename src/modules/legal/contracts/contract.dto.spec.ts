import { describe, expect, it } from '@jest/globals';
import { invalidMembers } from '../../../../test/setup/issues.js';
import { CreateContract, DispatchContract, ListContracts, UpdateContract, VoidContract } from './contract.dto.js';

describe('a new contract', () => {
  it.each<[string, object]>([
    ['title', {}],
    ['title', { title: '' }],
    ['title', { title: 'x'.repeat(501) }],
    ['title', { title: 'one\u0000two' }],
    ['title', { title: 'one\ud800two' }],
    ['status', { title: 'x', status: 'lost' }],
    ['contractNumber', { title: 'x', contractNumber: 'x'.repeat(101) }],
    ['body', { title: 'x', body: null }],
    ['body', { title: 'x', body: 'x'.repeat(200_001) }],
    ['body', { title: 'x', body: 'bell\u0007' }],
    ['language', { title: 'x', language: 'e' }],
    ['language', { title: 'x', language: 'x'.repeat(11) }],
    ['scope', { title: 'x', scope: 'everybody' }],
    ['expiresAt', { title: 'x', expiresAt: '2031-01-31' }],
    ['recipientName', { title: 'x', recipientName: 'x'.repeat(256) }],
    ['recipientEmail', { title: 'x', recipientEmail: 'nobody' }],
    ['metadata', { title: 'x', metadata: [] }],
    ['metadata', { title: 'x', metadata: { a: { b: { c: { d: { e: {} } } } } } }],
    ['metadata', { title: 'x', metadata: { text: 'x'.repeat(16_384) } }],
    ['issuedAt', { title: 'x', issuedAt: '2031-01-31T12:00:00Z' }],
  ])('a new contract is rejected at %s with %j', async (path, body) => {
    expect(await invalidMembers(CreateContract, body)).toEqual([path]);
  });
});

describe('a change of a contract', () => {
  it.each([
    [{}, ''],
    [{ status: 'issued' }, 'status'],
    [{ id: 'ctr_x' }, 'id'],
    [{ bookingId: 1 }, 'bookingId'],
    [{ bodySha256: 'x' }, 'bodySha256'],
    [{ title: null }, 'title'],
    [{ body: null }, 'body'],
    [{ language: null }, 'language'],
    [{ scope: null }, 'scope'],
  ])('a change of a contract rejects %j at "%s"', async (changes, path) => {
    expect(await invalidMembers(UpdateContract, changes)).toEqual([path]);
  });
});

describe('a dispatch of a contract', () => {
  it.each<[string, object]>([
    ['recipientEmail', { recipientEmail: 'nobody' }],
    ['subject', { subject: 'x'.repeat(501) }],
    ['subject', { subject: 'one\ntwo: header' }],
    ['message', { message: 'x'.repeat(10_001) }],
    ['resend', { resend: 'yes' }],
    ['bcc', { bcc: 'spy@example.com' }],
  ])('a dispatch of a contract is rejected at %s with %j', async (path, body) => {
    expect(await invalidMembers(DispatchContract, body)).toEqual([path]);
  });
});

describe('a reason for voiding a contract', () => {
  it.each([{}, { reason: ' ' }, { reason: 'x'.repeat(2001) }, { reason: null }])(
    'a reason for voiding a contract must not be %j',
    async (body) => {
      expect(await invalidMembers(VoidContract, body)).toEqual(['reason']);
    },
  );
});

describe('a query for contracts', () => {
  it.each([
    ['status=lost', 'status'],
    ['sort=body', 'sort'],
    ['limit=1&limit=2', 'limit'],
    ['search=', 'search'],
    ['search=a&search=b', 'search'],
  ])('a query for contracts rejects %s at %s', async (query, path) => {
    expect(await invalidMembers(ListContracts, query)).toEqual([path]);
  });
});
