import { randomBase32 } from '../../../platform/ids/id.js';

/** Crockford's base32: without I, L, O and U. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const BASE = ALPHABET.length;
const RANDOM_CHARACTERS = 12;
/** The length of a code. */
export const CODE_LENGTH = RANDOM_CHARACTERS + 1;
const CODE = /^[0-9A-HJKMNP-TV-Z]{13}$/;

/** Returns 60 random bits as 12 characters, followed by their check character. */
export function newVoucherCode(random = randomBase32(RANDOM_CHARACTERS)): string {
  const characters = random.toUpperCase();
  return characters + checkCharacterOf(characters);
}

/**
 * Returns a typed code as it is stored: in upper case, without blanks and hyphens, with 0 for O and 1 for I and L. Returns null if
 * it is no code or its check character is wrong, which needs no database query.
 */
export function voucherCodeOf(typed: string): string | null {
  const code = typed.replace(/[\s-]/g, '').toUpperCase().replace(/O/g, '0').replace(/[IL]/g, '1');
  return CODE.test(code) && code.endsWith(checkCharacterOf(code.slice(0, RANDOM_CHARACTERS))) ? code : null;
}

/** Returns the code in groups of four characters, as people read and type it. */
export function groupedCode(code: string): string {
  return code.replace(/(.{4})(?=.)/g, '$1-');
}

/** Computes the character of the Luhn algorithm modulo 32, which detects every single wrong character. */
function checkCharacterOf(characters: string): string {
  const sum = [...characters].reverse().reduce((total, character, index) => {
    const value = ALPHABET.indexOf(character);
    const doubled = index % 2 === 0 ? 2 * value : value;
    return total + Math.floor(doubled / BASE) + (doubled % BASE);
  }, 0);
  return ALPHABET.charAt((BASE - (sum % BASE)) % BASE);
}
