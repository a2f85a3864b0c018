import { describe, expect, it } from '@jest/globals';
import { groupedCode, newVoucherCode, voucherCodeOf } from './voucher-code.js';

const CODE = newVoucherCode('0123abcdxyz1');

describe('voucher codes', () => {
  it('a new code consists of 12 random characters and a check character', () => {
    expect(newVoucherCode()).toMatch(/^[0-9A-HJKMNP-TV-Z]{13}$/);
    expect(newVoucherCode()).not.toBe(newVoucherCode());
    expect(voucherCodeOf(newVoucherCode())).not.toBeNull();
  });

  it.each([
    CODE,
    CODE.toLowerCase(),
    groupedCode(CODE),
    ` ${[...CODE].join(' ')} `,
    CODE.replace(/0/g, 'O').replace(/1/g, 'I'),
    CODE.replace(/0/g, 'o').replace(/1/g, 'l'),
  ])('the typed text %s is the same code', (typed) => expect(voucherCodeOf(typed)).toBe(CODE));

  it('every single wrong character is detected', () => {
    for (let place = 0; place < CODE.length; place += 1) {
      for (const wrong of '0123456789ABCDEFGHJKMNPQRSTVWXYZ') {
        if (wrong === CODE.charAt(place)) continue;
        expect(voucherCodeOf(CODE.slice(0, place) + wrong + CODE.slice(place + 1))).toBeNull();
      }
    }
  });

  it.each(['', CODE.slice(1), `${CODE}0`, CODE.replace(/A/g, 'U'), '☃'.repeat(13)])(
    'the text "%s" is no code',
    (typed) => expect(voucherCodeOf(typed)).toBeNull(),
  );

  it('a code is shown in groups of four characters', () => {
    expect(groupedCode(CODE)).toMatch(/^0123-ABCD-XYZ1-.$/);
  });
});
