import { isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js';
import { invalidField } from '../../../platform/errors/app-error.js';

/** An e-mail address as it was typed. */
export interface CustomerEmail {
  address: string;
  label: string | null;
  isPrimary: boolean;
}

/** A telephone number in the form of ITU-T E.164, such as `+40240555010`. */
export interface CustomerPhone {
  number: string;
  label: string | null;
  isPrimary: boolean;
}

/** A postal address. */
export interface CustomerAddress {
  label: string | null;
  line1: string | null;
  line2: string | null;
  city: string | null;
  region: string | null;
  postalCode: string | null;
  country: string | null;
}

interface GivenEmail {
  address: string;
  label?: string | null;
  isPrimary?: boolean;
}

interface GivenPhone {
  number: string;
  country?: string | null;
  label?: string | null;
  isPrimary?: boolean;
}

/** Throws 400 for two primary addresses or two equal ones. Without a primary address the first one is. */
export function emailsFrom(given: readonly GivenEmail[]): CustomerEmail[] {
  rejectDuplicates(
    'emails',
    given.map(({ address }) => emailKey(address)),
  );
  return onePrimary('emails', given).map(({ address, label, isPrimary }) => {
    return { address, label: label ?? null, isPrimary };
  });
}

/**
 * Throws 400 for a number that does not exist, a national number without a country, two primary numbers or two equal ones.
 * `country` is the country of national numbers that name none.
 */
export function phonesFrom(given: readonly GivenPhone[], country: string | null): CustomerPhone[] {
  const numbers = given.map((phone, index) =>
    phoneNumber(phone.number, { country: phone.country ?? country, path: `phones.${index}.number` }),
  );
  rejectDuplicates('phones', numbers);
  return onePrimary('phones', given).map(({ label, isPrimary }, index) => {
    return { number: numbers[index] ?? '', label: label ?? null, isPrimary };
  });
}

/** Returns the number in the form of E.164. Throws 400 if it does not exist, or is national and the country is not known. */
function phoneNumber(text: string, { country, path }: { country: string | null; path: string }): string {
  if (country === null && !text.trim().startsWith('+')) {
    throw invalidField(path, `${path} needs its country, or the form +40240555010`, 'phone_country_unknown');
  }
  const known = country !== null && isSupportedCountry(country) ? country : undefined;
  const parsed = parsePhoneNumberFromString(text, known);
  if (!parsed?.isPossible()) throw invalidField(path, `${path} is no telephone number`, 'not_a_phone_number');
  return parsed.number;
}

/** An address in the form in which addresses are compared. */
export function emailKey(address: string): string {
  return address.trim().toLowerCase();
}

/** A number with the digits that are dialled at home, so that a search finds both forms. */
export function searchableNumber(number: string): string {
  const national = parsePhoneNumberFromString(number)?.formatNational().replace(/\D/g, '') ?? '';
  return `${number} ${national}`;
}

/** The digits of a query that is a telephone number and nothing else; null for another query. */
export function digitsOf(query: string): string | null {
  const digits = query.replace(/[\s()./+-]/g, '');
  return /^\d{4,20}$/.test(digits) ? digits.replace(/^00/, '') : null;
}

function onePrimary<T extends { isPrimary?: boolean }>(
  path: string,
  given: readonly T[],
): (Omit<T, 'isPrimary'> & { isPrimary: boolean })[] {
  const primaries = given.filter(({ isPrimary }) => isPrimary).length;
  if (primaries > 1) throw invalidField(path, `${path} must have at most one primary element`, 'several_defaults');
  return given.map((one, index) => ({ ...one, isPrimary: primaries === 0 ? index === 0 : one.isPrimary === true }));
}

function rejectDuplicates(path: string, keys: readonly string[]): void {
  if (new Set(keys).size < keys.length) throw invalidField(path, `${path} must not contain duplicates`, 'duplicate');
}
