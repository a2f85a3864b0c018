import { describe, expect, it } from '@jest/globals';
import { base32, codeAt, findStep, otpauthUri, stepAt } from './totp.js';

/** The secret of the test vectors of RFC 6238, appendix B. */
const SECRET = Buffer.from('12345678901234567890');
const at = (seconds: number) => new Date(seconds * 1000);

describe('a time-based code', () => {
  // The RFC lists eight digits; six digits are the last six of them.
  it.each([
    [59, '94287082'],
    [1_111_111_109, '07081804'],
    [1_111_111_111, '14050471'],
    [1_234_567_890, '89005924'],
    [2_000_000_000, '69279037'],
    [20_000_000_000, '65353130'],
  ])('a time-based code at %d seconds is the one of RFC 6238', (seconds, code) => {
    expect(codeAt(SECRET, stepAt(at(seconds)))).toBe(code.slice(-6));
  });

  it('a time-based code is accepted one step before and after its own, and no step further', () => {
    const now = at(1_111_111_111);
    const step = stepAt(now);
    const found = [-2, -1, 0, 1, 2].map((drift) =>
      findStep(SECRET, codeAt(SECRET, step + drift), { now, lastStep: 0 }),
    );
    expect(found).toEqual([null, step - 1, step, step + 1, null]);
  });

  it('a time-based code is rejected if its step or a later one was used', () => {
    const now = at(1_111_111_111);
    const step = stepAt(now);
    const found = [-1, 0, 1].map((drift) => findStep(SECRET, codeAt(SECRET, step + drift), { now, lastStep: step }));
    expect(found).toEqual([null, null, step + 1]);
  });

  it.each(['', '5047', '0050471', '０５０４７１'])('the text %j is not accepted as a code', (code) => {
    expect(findStep(SECRET, code, { now: at(1_111_111_111), lastStep: 0 })).toBeNull();
  });
});

it.each([
  ['', ''],
  ['f', 'MY'],
  ['fo', 'MZXQ'],
  ['foo', 'MZXW6'],
  ['foob', 'MZXW6YQ'],
  ['fooba', 'MZXW6YTB'],
  ['foobar', 'MZXW6YTBOI'],
])('the base32 text of %j is the one of RFC 4648', (text, encoded) => {
  expect(base32(Buffer.from(text))).toBe(encoded);
});

it('an otpauth URI contains the issuer, the account and the parameters', () => {
  expect(otpauthUri(SECRET, { issuer: 'Acme: Tours & Co', account: 'ada@example.com' })).toBe(
    'otpauth://totp/Acme%20%20Tours%20%26%20Co:ada%40example.com?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ' +
      '&issuer=Acme%20%20Tours%20%26%20Co&algorithm=SHA1&digits=6&period=30',
  );
});
