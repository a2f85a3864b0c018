import { describe, expect, it } from '@jest/globals';
import canonicalize from 'canonicalize';
import { createHash } from 'node:crypto';
import { aroundSequence, chainOf, CHAINS, entryDigest, type SealedMembers, payloadDigest } from './sealed-entry.js';

const entry: SealedMembers = {
  id: 'aled_01k0dem000e000000000000001',
  action: 'distribution.channel.update',
  subjectType: 'channel',
  subjectId: 'a "sequence":7, as text',
  actorType: 'user',
  actorId: 'usr_1',
  reason: 'Grüße, "quoted"\n',
  reversesEntryId: null,
  correlationId: 'request-1',
  serverRequestId: '01a00000-0000-7000-8000-000000000001',
  createdAt: new Date('2027-01-31T12:00:00.123Z'),
};

describe('the digest of an entry', () => {
  it('the digest of an entry is that of its canonical JSON, which the database builds around the sequence', () => {
    const payload = payloadDigest('{"a":1}', null);
    const [before, after] = aroundSequence(entry, payload);

    const whole = { ...entry, createdAt: '2027-01-31T12:00:00.123Z', payload: payload.toString('hex'), sequence: 42 };
    expect(`${before}42${after}`).toBe(canonicalize(whole));
    expect(entryDigest(entry, 42, payload)).toEqual(createHash('sha256').update(`${before}42${after}`).digest());
  });

  it('an entry of an earlier version has no server request id, and its digest no such member', () => {
    const payload = payloadDigest(null, null);
    const { serverRequestId: _absent, ...earlier } = entry;
    const [before, after] = aroundSequence({ ...entry, serverRequestId: null }, payload);

    const whole = { ...earlier, createdAt: '2027-01-31T12:00:00.123Z', payload: payload.toString('hex'), sequence: 42 };
    expect(`${before}42${after}`).toBe(canonicalize(whole));
    expect(entryDigest({ ...entry, serverRequestId: null }, 42, payload)).not.toEqual(entryDigest(entry, 42, payload));
  });

  it('the digest of a payload distinguishes null from the text "null"', () => {
    expect(payloadDigest(null, null)).not.toEqual(payloadDigest('null', 'null'));
  });
});

describe('the chain of a subject', () => {
  it('the chain of a subject is the same each time, one of 64, and all 64 are in use', () => {
    const chains = Array.from({ length: 2_000 }, (_, n) => chainOf('channel', `chan_${n}`));
    expect(new Set(chains)).toEqual(new Set(Array.from({ length: CHAINS }, (_, n) => n)));
    expect(chainOf('channel', 'chan_1')).toBe(chains[1]);
  });
});
