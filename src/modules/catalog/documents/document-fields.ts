import { named } from '../../../platform/http/named-values.js';
import type { Issue } from '../../../platform/errors/app-error.js';
import type { IssueCode } from '../../../platform/errors/issue-codes.js';
import { isCurrency } from '../../../platform/money/money.js';
import { isCalendarDay, isInstant, isTimeZone } from '../../../platform/time/calendar.js';
import { type Field, plainText } from '../../../search-engine/index.js';
import { SCHEMAS, type Vertical } from '../slices/verticals.js';

const MAX_NAME = 500;
const URLS = ['primaryMediaUrl', 'thumbnailUrl', 'coverMediaUrl'];
const MAX_TEXT = 20_000;
export const MAX_ITEMS = 1_000;
export const STATUSES = named('CatalogDocumentStatus', ['active', 'draft', 'archived']);
const DEPARTURE_MEMBERS = ['departureId', 'startsAt', 'endsAt', 'bookableUntil', 'availableUnits'];

/** Validates the fields of a document. The paths of the issues begin with `path`. */
export function issuesOfFields(vertical: Vertical, fields: Record<string, unknown>, path: string): Issue[] {
  const issues = Object.entries(fields).flatMap(([name, value]) => {
    const fault = faultOf(vertical, name, value);
    return fault === null ? [] : [issue(`${path}.${name}${fault.at ?? ''}`, fault.message, fault.code)];
  });
  return 'name' in fields ? issues : [...issues, issue(`${path}.name`, 'is required', 'required')];
}

interface Fault {
  message: string;
  code: IssueCode;
  at?: string;
}

function faultOf(vertical: Vertical, name: string, value: unknown): Fault | null {
  if (name === 'departures') return faultOfDepartures(value);
  const field = SCHEMAS[vertical].get(name);
  const needed = name === 'name' || name === 'status';
  if (value === null && !needed) return null;
  if (field === undefined) return faultOfUnlisted(value);
  return faultOfType(field, value) ?? faultOfValue(name, value);
}

function faultOfType({ type }: Field, value: unknown): Fault | null {
  switch (type) {
    case 'text':
      return typeof value === 'string' ? null : { message: 'must be a string', code: 'wrong_type' };
    case 'integer':
      return Number.isSafeInteger(value) ? null : { message: 'must be a whole number', code: 'wrong_type' };
    case 'number':
      return Number.isFinite(value) ? null : { message: 'must be a number', code: 'wrong_type' };
    case 'boolean':
      return typeof value === 'boolean' ? null : { message: 'must be true or false', code: 'wrong_type' };
    case 'day':
      return isCalendarDay(value) ? null : { message: 'must be a day as YYYY-MM-DD', code: 'wrong_format' };
    case 'instant':
      return isInstant(value) ? null : { message: 'must be an instant with an offset', code: 'wrong_format' };
    case 'moment':
      return isInstant(value) || isCalendarDay(value)
        ? null
        : { message: 'must be an instant with an offset, or a day', code: 'wrong_format' };
    case 'texts':
      return isList(value, (item) => typeof item === 'string')
        ? null
        : { message: 'must be a list of strings', code: 'wrong_type' };
    case 'days':
      return isList(value, isCalendarDay)
        ? null
        : { message: 'must be a list of days as YYYY-MM-DD', code: 'wrong_type' };
  }
}

function faultOfValue(name: string, value: unknown): Fault | null {
  if (name === 'name' && typeof value === 'string' && !isName(value)) {
    return { message: `must have 1 to ${MAX_NAME} characters besides HTML markup`, code: 'wrong_length' };
  } else if (name === 'status' && !STATUSES.some((status) => status === value)) {
    return { message: `must be one of ${STATUSES.join(', ')}`, code: 'unknown_value' };
  } else if (name.endsWith('Cents') && typeof value === 'number' && value < 0) {
    return { message: 'must not be less than 0', code: 'too_small' };
  } else if ((name === 'latitude' && !isWithin(value, 90)) || (name === 'longitude' && !isWithin(value, 180))) {
    return { message: 'must be between -90 and 90 for a latitude, -180 and 180 for a longitude', code: 'too_large' };
  } else if (URLS.includes(name) && !isWebAddress(value)) {
    return { message: 'must be an http or https URL, or a path', code: 'wrong_format' };
  } else if ((name === 'priceFromCurrency' || name === 'sellCurrency') && !isCurrency(value)) {
    return { message: 'must be an ISO 4217 currency code', code: 'wrong_format' };
  } else if ((name === 'timezone' || name === 'departureTimezone') && !isTimeZone(value)) {
    return { message: 'must be the IANA name of a time zone', code: 'wrong_format' };
  } else {
    return faultOfUnlisted(value);
  }
}

/** Documents are flat: a value is a string, a number, a boolean or a list of these. */
function faultOfUnlisted(value: unknown): Fault | null {
  if (Array.isArray(value) && value.length > MAX_ITEMS) {
    return { message: `must contain at most ${MAX_ITEMS} values`, code: 'too_many' };
  }
  const values: unknown[] = Array.isArray(value) ? value : [value];
  if (values.some((item) => typeof item === 'string' && item.length > MAX_TEXT)) {
    return { message: `must have at most ${MAX_TEXT} characters`, code: 'too_long' };
  }
  return values.every((item) => typeof item === 'string' || typeof item === 'boolean' || Number.isFinite(item))
    ? null
    : { message: 'must be a string, a number, a boolean or a list of these', code: 'not_flat' };
}

function faultOfDepartures(value: unknown): Fault | null {
  if (value === null) return null;
  if (!Array.isArray(value)) return { message: 'must be a list of departures', code: 'wrong_type' };
  if (value.length > MAX_ITEMS) return { message: `must contain at most ${MAX_ITEMS} departures`, code: 'too_many' };
  const faults = value.map(faultOfDeparture);
  const index = faults.findIndex((fault) => fault !== null);
  const fault = faults[index] ?? null;
  return fault && { ...fault, at: `.${index}${fault.at ?? ''}` };
}

function faultOfDeparture(departure: unknown): Fault | null {
  if (typeof departure !== 'object' || departure === null || Array.isArray(departure)) {
    return { message: 'must be an object', code: 'wrong_type' };
  }
  const members = new Map<string, unknown>(Object.entries(departure));
  const unknown = [...members.keys()].find((name) => !DEPARTURE_MEMBERS.includes(name));
  const [startsAt, units] = ['startsAt', 'availableUnits'].map((name) => members.get(name) ?? null);
  const id = members.get('departureId') ?? null;
  if (unknown !== undefined) return { message: 'is not recognized', code: 'unknown_member', at: `.${unknown}` };
  if (!isInstant(startsAt))
    return { message: 'must be an instant with an offset', code: 'wrong_format', at: '.startsAt' };
  for (const name of ['endsAt', 'bookableUntil']) {
    if (!isInstant(members.get(name) ?? startsAt)) {
      return { message: 'must be an instant with an offset', code: 'wrong_format', at: `.${name}` };
    }
  }
  if (units !== null && !(typeof units === 'number' && Number.isSafeInteger(units) && units >= 0)) {
    return { message: 'must be a whole number, 0 or more', code: 'wrong_type', at: '.availableUnits' };
  }
  if (id !== null && !(typeof id === 'string' && id.length <= 128)) {
    return { message: 'must be a string of at most 128 characters', code: 'wrong_type', at: '.departureId' };
  }
  return null;
}

function isList(value: unknown, fits: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(fits);
}

export function isName(value: string): boolean {
  if (value.length > MAX_TEXT) return false;
  const { length } = plainText(value);
  return length > 0 && length <= MAX_NAME;
}

/** Storefronts use it as the URL of a picture, so a scheme that browsers execute is rejected. */
function isWebAddress(value: unknown): boolean {
  if (typeof value !== 'string') return false;
  // A path is resolved against the base; an absolute address keeps its own scheme.
  const scheme = URL.canParse(value, 'https://path.invalid') && new URL(value, 'https://path.invalid').protocol;
  return scheme === 'http:' || scheme === 'https:';
}

function isWithin(value: unknown, bound: number): boolean {
  return typeof value === 'number' && Math.abs(value) <= bound;
}

function issue(path: string, message: string, code: IssueCode): Issue {
  return { path, message: `${path} ${message}`, code };
}
