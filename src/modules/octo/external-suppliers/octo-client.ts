import type { Logger } from 'pino';
import type { Clock } from '../../../platform/clock/clock.js';
import { type Egress, EgressError, type EgressFault, type OutgoingAnswer } from '../../../platform/egress/egress.js';
import { FREE_FORM_LIMITS, scanJson } from '../../../platform/validation/json-scan.js';
import { CallPlaces } from './call-places.js';
import {
  type OctoAvailability,
  type OctoBooking,
  type OctoProduct,
  type OctoSupplierInfo,
  readAvailability,
  readBooking,
  readErrorCode,
  readProduct,
  readSupplier,
} from './octo-answers.js';

const MIB = 1024 * 1024;
const CONNECT_MS = 2_000;
const CALLS_AT_A_TIME = 8;
const MAX_ROWS = 2_000;
const FAILURES_BEFORE_PAUSE = 5;
const PAUSE_MS = 30_000;
const MAX_RETRY_AFTER_SECONDS = 86_400;

/** How long each call may take, including the wait for a place. */
const LIMITS_MS = { quote: 8_000, order: 15_000, lookup: 5_000, products: 60_000 } as const;

/** Why a call has no usable answer. Clients may see it, and never what the supplier sent. */
export type OctoFault = EgressFault | 'busy' | 'paused' | 'server_error' | 'redirect';

/** These occur before anything is sent. */
const UNSENT: ReadonlySet<OctoFault> = new Set(['invalid_url', 'address_not_allowed', 'name_not_found']);

/**
 * - `refused`: the supplier rejected the request; `code` is the error code of the standard if the body has one.
 * - `unsent`: the supplier never received the request.
 * - `unknown`: the supplier may have carried it out, so it must be looked up before it is repeated.
 */
export type OctoResult<T> =
  | { readonly outcome: 'answered'; readonly value: T }
  | {
      readonly outcome: 'refused';
      readonly status: number;
      readonly code: string | null;
      readonly retryAfterMs: number | null;
    }
  | { readonly outcome: 'unsent'; readonly fault: OctoFault }
  | { readonly outcome: 'unknown'; readonly fault: OctoFault; readonly retryAfterMs: number | null };

export interface ExternalSupplierAccess {
  readonly id: string;
  /** Without a slash at the end. */
  readonly baseUrl: string;
  readonly token: string;
  readonly capabilities: readonly string[];
  readonly cancelMethod: 'post' | 'delete';
}

export interface AvailabilityRequest {
  readonly productId: string;
  readonly optionId: string;
  /** Either these or the two dates. */
  readonly availabilityIds?: readonly string[];
  readonly localDateStart?: string;
  readonly localDateEnd?: string;
  readonly units?: readonly { id: string; quantity: number }[];
  readonly currency?: string;
}

export interface AvailabilityAnswer {
  readonly rows: readonly OctoAvailability[];
  /** Rows that were left out because they are unusable. */
  readonly unusable: number;
  /** Rows that were left out because their prices are in another currency than the requested one. */
  readonly otherCurrency: number;
}

export interface OctoContact {
  readonly fullName?: string;
  readonly firstName?: string;
  readonly lastName?: string;
  readonly emailAddress?: string;
  readonly phoneNumber?: string;
  readonly locales?: readonly string[];
  readonly postalCode?: string;
  readonly country?: string;
}

export interface ReservationRequest {
  readonly uuid: string;
  readonly productId: string;
  readonly optionId: string;
  readonly availabilityId: string;
  readonly unitItems: readonly { unitId: string }[];
  readonly resellerReference: string;
  readonly currency?: string;
  readonly expirationMinutes?: number;
  readonly contact?: OctoContact;
}

interface Call<T> {
  readonly operation: string;
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly body?: object;
  readonly limit: keyof typeof LIMITS_MS;
  readonly maxBytes?: number;
  /** Null if the answer is unusable. */
  readonly read: (answer: unknown) => T | null;
}

/**
 * Calls one external supplier by the OCTO standard. It never repeats a request: the caller knows whether it may. Share one client per
 * supplier, because it counts calls and failures.
 */
export class OctoClient {
  private readonly places = new CallPlaces(CALLS_AT_A_TIME);
  private failures = 0;
  private pausedUntilMs = 0;

  constructor(
    private readonly supplierAccess: ExternalSupplierAccess,
    private readonly egress: Egress,
    private readonly clock: Clock,
    private readonly log: Logger,
  ) {}

  supplier(): Promise<OctoResult<OctoSupplierInfo>> {
    return this.call({ operation: 'supplier', method: 'GET', path: '/supplier', limit: 'lookup', read: readSupplier });
  }

  /** The usable products. */
  products(): Promise<OctoResult<OctoProduct[]>> {
    return this.call({
      operation: 'products',
      method: 'GET',
      path: '/products',
      limit: 'products',
      maxBytes: 16 * MIB,
      read: (answer) => this.usableRows('products', answer, readProduct)?.rows ?? null,
    });
  }

  availability(request: AvailabilityRequest): Promise<OctoResult<AvailabilityAnswer>> {
    const read = (answer: unknown) => {
      const found = this.usableRows('availability', answer, readAvailability);
      if (!found) return null;
      const rows = found.rows.filter((row) => hasOnlyCurrency(row, request.currency));
      return { rows, unusable: found.unusable, otherCurrency: found.rows.length - rows.length };
    };
    const call = { operation: 'availability', method: 'POST', path: '/availability' } as const;
    return this.call({ ...call, body: request, limit: 'quote', read });
  }

  /** Safe to repeat with the same uuid. */
  reserve(request: ReservationRequest): Promise<OctoResult<OctoBooking>> {
    return this.order('reserve', '', request);
  }

  booking(uuid: string): Promise<OctoResult<OctoBooking>> {
    const path = `/bookings/${encodeURIComponent(uuid)}`;
    return this.call({ operation: 'booking', method: 'GET', path, limit: 'lookup', read: readBooking });
  }

  bookings({ resellerReference }: { resellerReference: string }): Promise<OctoResult<readonly OctoBooking[]>> {
    return this.call({
      operation: 'bookings',
      method: 'GET',
      path: `/bookings?resellerReference=${encodeURIComponent(resellerReference)}`,
      limit: 'lookup',
      read: (answer) => this.usableRows('bookings', answer, readBooking)?.rows ?? null,
    });
  }

  confirm(
    uuid: string,
    request: { contact: OctoContact; resellerReference?: string },
  ): Promise<OctoResult<OctoBooking>> {
    return this.order('confirm', `/${encodeURIComponent(uuid)}/confirm`, request);
  }

  extend(uuid: string, request: { expirationMinutes: number }): Promise<OctoResult<OctoBooking>> {
    return this.order('extend', `/${encodeURIComponent(uuid)}/extend`, request);
  }

  cancel(uuid: string, request: { reason?: string } = {}): Promise<OctoResult<OctoBooking>> {
    const path = `/${encodeURIComponent(uuid)}`;
    if (this.supplierAccess.cancelMethod === 'delete') return this.order('cancel', path, request, 'DELETE');
    return this.order('cancel', `${path}/cancel`, request);
  }

  private order(
    operation: string,
    path: string,
    body: object,
    method: 'POST' | 'DELETE' = 'POST',
  ): Promise<OctoResult<OctoBooking>> {
    return this.call({ operation, method, path: `/bookings${path}`, body, limit: 'order', read: readBooking });
  }

  private async call<T>(call: Call<T>): Promise<OctoResult<T>> {
    const startMs = this.clock.elapsedMs();
    if (call.limit === 'quote' && startMs < this.pausedUntilMs) return { outcome: 'unsent', fault: 'paused' };
    const limitMs = LIMITS_MS[call.limit];
    if (!(await this.places.take(limitMs))) return { outcome: 'unsent', fault: 'busy' };
    try {
      const leftMs = Math.max(1, Math.floor(limitMs - (this.clock.elapsedMs() - startMs)));
      const result = await this.send(call, leftMs);
      this.count(result);
      if (result.outcome !== 'answered')
        this.log.warn(this.logged(call.operation, result), 'a supplier gave no answer');
      return result;
    } finally {
      this.places.release();
    }
  }

  private async send<T>({ method, path, body, maxBytes = MIB, read }: Call<T>, timeoutMs: number) {
    const { baseUrl, token, capabilities } = this.supplierAccess;
    try {
      const answer = await this.egress.send({
        method,
        url: `${baseUrl}${path}`,
        headers: {
          authorization: `Bearer ${token}`,
          accept: 'application/json',
          'content-type': 'application/json',
          'octo-capabilities': capabilities.join(', '),
        },
        ...(body && { body: JSON.stringify(body) }),
        connectMs: CONNECT_MS,
        timeoutMs,
        maxAnswerBytes: maxBytes,
      });
      return resultOf(answer, read);
    } catch (error) {
      if (!(error instanceof EgressError)) throw error;
      const { fault } = error;
      return UNSENT.has(fault)
        ? ({ outcome: 'unsent', fault } as const)
        : ({ outcome: 'unknown', fault, retryAfterMs: null } as const);
    }
  }

  /** A rejection is an answer: the supplier works. */
  private count({ outcome }: OctoResult<unknown>): void {
    if (outcome === 'answered' || outcome === 'refused') this.failures = 0;
    else this.failures += 1;
    if (this.failures >= FAILURES_BEFORE_PAUSE) this.pausedUntilMs = this.clock.elapsedMs() + PAUSE_MS;
  }

  /** Null if the answer is no list, or has more rows than anyone can book. */
  private usableRows<T>(operation: string, answer: unknown, read: (row: unknown) => T | null) {
    if (!Array.isArray(answer) || answer.length > MAX_ROWS) return null;
    const rows = answer.flatMap((row) => read(row) ?? []);
    const unusable = answer.length - rows.length;
    if (unusable > 0) this.log.warn(this.logged(operation, { unusable }), 'rows of a supplier are unusable');
    return { rows, unusable };
  }

  private logged(operation: string, members: object): object {
    return { octoSupplierId: this.supplierAccess.id, operation, ...members };
  }
}

function resultOf<T>({ status, headers, body }: OutgoingAnswer, read: Call<T>['read']): OctoResult<T> {
  const retryAfterMs = retryAfterOf(headers['retry-after']);
  if (status >= 300 && status < 400) return { outcome: 'unknown', fault: 'redirect', retryAfterMs };
  if (status >= 500) return { outcome: 'unknown', fault: 'server_error', retryAfterMs };
  const parsed = parse(body);
  // A proxy may send 408 after it has passed the request on.
  if (status >= 400 && status !== 408) return { outcome: 'refused', status, code: readErrorCode(parsed), retryAfterMs };
  const value = status >= 200 && parsed !== undefined ? read(parsed) : null;
  return value === null
    ? { outcome: 'unknown', fault: 'invalid_answer', retryAfterMs }
    : { outcome: 'answered', value };
}

/** Undefined if the body is no JSON within the limits for free forms: a year of availability has more values than a request. */
function parse(body: Buffer): unknown {
  try {
    scanJson(body, FREE_FORM_LIMITS);
    return JSON.parse(body.toString()) as unknown;
  } catch {
    return undefined;
  }
}

/** Only a number of seconds: a date would need the clock of the supplier. */
function retryAfterOf(header: string | undefined): number | null {
  if (header === undefined || !/^\d{1,9}$/.test(header)) return null;
  return Math.min(Number(header), MAX_RETRY_AFTER_SECONDS) * 1_000;
}

function hasOnlyCurrency({ pricing, unitPricing }: OctoAvailability, currency: string | undefined): boolean {
  if (currency === undefined) return true;
  return [pricing, ...unitPricing.map((unit) => unit.pricing)].every(
    (money) => money === null || money.currency === currency,
  );
}
