import { isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js';
import { invalidField } from '../../../platform/errors/app-error.js';

/** In characters: a plus sign and 15 digits (ITU-T E.164, 6.2.1). */
export const LONGEST_NUMBER = 16;

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

/** Throws 400 for an address without any member. */
export function addressesFrom(given: readonly Partial<CustomerAddress>[]): CustomerAddress[] {
  return given.map((one, index) => {
    const {
      label = null,
      line1 = null,
      line2 = null,
      city = null,
      region = null,
      postalCode = null,
      country = null,
    } = one;
    const address = { line1, line2, city, region, postalCode, country };
    if (Object.values(address).every((member) => member === null)) {
      throw invalidField(`addresses.${index}`, `addresses.${index} must have at least one member`, 'empty');
    }
    return { label, ...address };
  });
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
export function phoneNumber(text: string, { country, path }: { country: string | null; path: string }): string {
  if (country === null && !text.trim().startsWith('+')) {
    throw invalidField(path, `${path} needs its country, or the form +40240555010`, 'phone_country_unknown');
  }
  const number = parsedNumber(text, country);
  if (number !== null) return number;
  throw invalidField(path, `${path} is not a valid telephone number without extension`, 'not_a_phone_number');
}

export function isInternationalNumber(text: string): boolean {
  return text.trim().startsWith('+') && parsedNumber(text, null) !== null;
}

function parsedNumber(text: string, country: string | null): string | null {
  const defaultCountry = country !== null && isSupportedCountry(country) ? { defaultCountry: country } : {};
  // Without `extract: false` the library ignores text around the number.
  const parsed = parsePhoneNumberFromString(text, { ...defaultCountry, extract: false });
  if (!parsed?.isPossible() || parsed.ext !== undefined || parsed.number.length > LONGEST_NUMBER) return null;
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

/** The digits of a query that is a telephone number and nothing else, without prefixes; null for another query. */
export function digitsOf(query: string): string | null {
  const digits = query
    .replace('(0)', '')
    .replace(/[\s()./+-]/g, '')
    .replace(/^00/, '');
  return /^\d{4,20}$/.test(digits) ? digits : null;
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

/** The last word of a person's name is the last name. */
export function personName(name: string): { firstName: string | undefined; lastName: string } {
  const [, firstName, lastName = name.trim()] = /^(.*\S)\s+(\S+)$/s.exec(name.trim()) ?? [];
  return { firstName, lastName };
}
