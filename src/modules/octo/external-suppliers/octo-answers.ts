import { isCurrency, minorUnits } from '../../../platform/money/money.js';

/*
 * Reads the answers of external suppliers. An object is used only if each member that the service needs has its type and range;
 * otherwise the function returns null, and nothing is guessed. Unknown members are ignored.
 */

const MAX_AMOUNT = 1e12;
const MAX_COUNT = 1e6;
const MAX_ID = 255;
const MAX_TEXT = 1_000;
const MAX_VALUE = 4_096;
const MAX_UNITS = 200;
const MAX_DELIVERIES = 10;
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/;
const CODE = /^[A-Z_]{1,50}$/;

const BOOKING_STATES = ['ON_HOLD', 'CONFIRMED', 'PENDING', 'EXPIRED', 'CANCELLED', 'REJECTED', 'REDEEMED'] as const;
const REFUNDS = ['FULL', 'PARTIAL', 'NONE'] as const;

/** Amounts in the minor units of this service, taxes included. */
export interface OctoMoney {
  originalCents: number;
  retailCents: number;
  /** What the service pays the supplier; null if the supplier does not say. */
  netCents: number | null;
  currency: string;
}

interface OctoProductUnit {
  id: string;
  name: string;
  type: string;
}

interface OctoProductOption {
  id: string;
  name: string;
  isDefault: boolean;
  requiredContactFields: string[];
  units: OctoProductUnit[];
}

export interface OctoProduct {
  id: string;
  name: string;
  timeZone: string;
  availabilityRequired: boolean;
  options: OctoProductOption[];
}

export interface OctoAvailability {
  id: string;
  /** With the offset in force, as the supplier sent it: two departures in the hour that occurs twice differ only by it. */
  localDateTimeStart: string;
  localDateTimeEnd: string;
  available: boolean;
  status: string;
  vacancies: number | null;
  /** For the units that were asked for. */
  pricing: OctoMoney | null;
  unitPricing: { unitId: string; pricing: OctoMoney }[];
}

export interface OctoBooking {
  uuid: string;
  status: (typeof BOOKING_STATES)[number];
  productId: string;
  optionId: string;
  availabilityId: string | null;
  utcExpiresAt: Date | null;
  resellerReference: string | null;
  supplierReference: string | null;
  cancellable: boolean;
  /** Of a cancelled booking. */
  refund: (typeof REFUNDS)[number] | null;
  pricing: OctoMoney | null;
  unitItems: { uuid: string; unitId: string; status: string; supplierReference: string | null }[];
  /** Codes and links of the voucher and of the tickets; none is fetched. */
  deliveries: { format: string; value: string }[];
}

export interface OctoSupplierInfo {
  id: string;
  name: string;
}

type Members = Readonly<Record<string, unknown>>;

export function readSupplier(value: unknown): OctoSupplierInfo | null {
  const { id, name } = membersOf(value);
  return isId(id) && isText(name) ? { id, name } : null;
}

export function readProduct(value: unknown): OctoProduct | null {
  const { id, internalName, timeZone, availabilityRequired, options } = membersOf(value);
  const read = readAll(options, readOption, MAX_UNITS);
  if (!isId(id) || !isText(internalName) || !isText(timeZone) || !read || read.length === 0) return null;
  return { id, name: internalName, timeZone, availabilityRequired: availabilityRequired !== false, options: read };
}

function readOption(value: unknown): OctoProductOption | null {
  const { id, internalName, default: isDefault, requiredContactFields = [], units } = membersOf(value);
  const fields = readAll(requiredContactFields, (field) => (isText(field) ? field : null), MAX_UNITS);
  const read = readAll(units, readUnit, MAX_UNITS);
  if (!isId(id) || !isText(internalName) || !fields || !read || read.length === 0) return null;
  return { id, name: internalName, isDefault: isDefault === true, requiredContactFields: fields, units: read };
}

function readUnit(value: unknown): OctoProductUnit | null {
  const { id, internalName, type } = membersOf(value);
  return isId(id) && isText(internalName) && isText(type) ? { id, name: internalName, type } : null;
}

export function readAvailability(value: unknown): OctoAvailability | null {
  const { id, localDateTimeStart, localDateTimeEnd, available, status, vacancies = null, ...more } = membersOf(value);
  const pricing = readOptional(more.pricing, readMoney);
  const unitPricing = readAll(more.unitPricing ?? [], readUnitPricing, MAX_UNITS);
  if (!isId(id) || !isInstant(localDateTimeStart) || !isInstant(localDateTimeEnd)) return null;
  if (typeof available !== 'boolean' || !isText(status) || !(vacancies === null || isCount(vacancies))) return null;
  if (Date.parse(localDateTimeEnd) < Date.parse(localDateTimeStart)) return null;
  if (pricing === undefined || !unitPricing) return null;
  return { id, localDateTimeStart, localDateTimeEnd, available, status, vacancies, pricing, unitPricing };
}

function readUnitPricing(value: unknown): { unitId: string; pricing: OctoMoney } | null {
  const { unitId } = membersOf(value);
  const pricing = readMoney(value);
  return isId(unitId) && pricing ? { unitId, pricing } : null;
}

export function readBooking(value: unknown): OctoBooking | null {
  const { uuid, status, productId, optionId, availabilityId = null, cancellable, ...more } = membersOf(value);
  const { utcExpiresAt = null, resellerReference = null, supplierReference = null } = more;
  const pricing = readOptional(more.pricing, readMoney);
  const unitItems = readAll(more.unitItems, readUnitItem, MAX_UNITS);
  const { refund = null } = membersOf(more.cancellation);
  const state = BOOKING_STATES.find((one) => one === status);
  if (!isId(uuid) || !state || !isId(productId) || !isId(optionId) || !unitItems || pricing === undefined) return null;
  if (!(availabilityId === null || isId(availabilityId)) || !(utcExpiresAt === null || isInstant(utcExpiresAt)))
    return null;
  if (!(resellerReference === null || isText(resellerReference))) return null;
  if (!(supplierReference === null || isText(supplierReference))) return null;
  return {
    uuid,
    status: state,
    productId,
    optionId,
    availabilityId,
    utcExpiresAt: utcExpiresAt === null ? null : new Date(utcExpiresAt),
    resellerReference,
    supplierReference,
    cancellable: cancellable === true,
    refund: REFUNDS.find((one) => one === refund) ?? null,
    pricing,
    unitItems,
    deliveries: deliveriesOf(more),
  };
}

function readUnitItem(value: unknown): OctoBooking['unitItems'][number] | null {
  const { uuid, unitId, status, supplierReference = null } = membersOf(value);
  const isUsable = isId(uuid) && isId(unitId) && isText(status);
  if (!isUsable || !(supplierReference === null || isText(supplierReference))) return null;
  return { uuid, unitId, status, supplierReference };
}

/** Of the voucher, then of the tickets. An unusable one is left out: it must not hide the booking. */
function deliveriesOf({ voucher, unitItems }: Members): OctoBooking['deliveries'] {
  const tickets = Array.isArray(unitItems) ? unitItems.map((item) => membersOf(item)['ticket']) : [];
  const options = [voucher, ...tickets].flatMap((one) => {
    const { deliveryOptions } = membersOf(one);
    const given: unknown[] = Array.isArray(deliveryOptions) ? deliveryOptions : [];
    return given.slice(0, MAX_DELIVERIES);
  });
  return options.flatMap((option) => {
    const { deliveryFormat: format, deliveryValue: content } = membersOf(option);
    return isText(format) && typeof content === 'string' && content.length <= MAX_VALUE
      ? [{ format, value: content }]
      : [];
  });
}

/** Null unless the amounts are exact in the minor units of this service. */
function readMoney(value: unknown): OctoMoney | null {
  const { original, retail, net = null, currency, currencyPrecision } = membersOf(value);
  if (!isCurrency(currency) || typeof currencyPrecision !== 'number' || !isCount(currencyPrecision)) return null;
  const exponent = minorUnits(currency) - currencyPrecision;
  if (Math.abs(exponent) > 8) return null;
  const [originalCents, retailCents] = [centsOf(original, exponent), centsOf(retail, exponent)];
  const netCents = net === null ? null : centsOf(net, exponent);
  if (originalCents === null || retailCents === null || (net !== null && netCents === null)) return null;
  return { originalCents, retailCents, netCents, currency };
}

function centsOf(amount: unknown, exponent: number): number | null {
  if (typeof amount !== 'number' || !Number.isSafeInteger(amount) || amount < 0 || amount > MAX_AMOUNT) return null;
  const cents = exponent < 0 ? amount / 10 ** -exponent : amount * 10 ** exponent;
  return Number.isSafeInteger(cents) && cents <= MAX_AMOUNT ? cents : null;
}

/** The OCTO error code of a rejected request; null if the body has none. */
export function readErrorCode(value: unknown): string | null {
  const { error } = membersOf(value);
  return typeof error === 'string' && CODE.test(error) ? error : null;
}

/** Null if the value is no list of at most `max` elements, or one of them is unusable. */
function readAll<T>(value: unknown, read: (element: unknown) => T | null, max: number): T[] | null {
  if (!Array.isArray(value) || value.length > max) return null;
  const found: T[] = [];
  for (const element of value) {
    const one = read(element);
    if (one === null) return null;
    found.push(one);
  }
  return found;
}

/** Null if there is none, undefined if it is unusable. */
function readOptional<T>(value: unknown, read: (value: unknown) => T | null): T | null | undefined {
  return value === undefined || value === null ? null : (read(value) ?? undefined);
}

function membersOf(value: unknown): Members {
  return isObject(value) ? value : {};
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isId(value: unknown): value is string {
  return typeof value === 'string' && value.length > 0 && value.length <= MAX_ID;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.length <= MAX_TEXT;
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value <= MAX_COUNT;
}

function isInstant(value: unknown): value is string {
  return typeof value === 'string' && INSTANT.test(value) && !Number.isNaN(Date.parse(value));
}
