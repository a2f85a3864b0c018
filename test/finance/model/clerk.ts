import { isDeepStrictEqual } from 'node:util';
import type { TestClient } from '../../setup/client.js';
import type { Answer } from '../../setup/http.js';
import { days } from '../payment-plans/plans.js';
import type { Account } from './account.js';
import type { DrawnLine } from './billed-booking.js';
import { amountsOf, type BookingMoney, expectedMoney } from './expectations.js';
import type { Installment } from './plan.js';
import { Random } from './random.js';
import type { IssuedInvoice } from './records.js';

/** State that all clerks share. It changes only at barriers, so that a clerk can be run again alone. */
export interface Office {
  seed: number;
  client: TestClient;
  today: () => string;
  /** First day that is in no closed month. */
  firstOpenDay: string;
  taxCodes: readonly { id: string; code: string; rates: { rateBasisPoints: number; validFrom: string }[] }[];
}

/** A draft of an invoice that was not issued immediately. */
export interface Draft {
  id: string;
  account: Account;
  installment: Installment | null;
  lines: readonly DrawnLine[];
  /** The sources of the draft. */
  sources: string;
}

/** A document with a number of the clerk's own series. */
export interface Numbered {
  number: string;
  issueDate: string;
  /** Null for a credit note. */
  invoice: IssuedInvoice | null;
  isReleased: boolean;
}

/** The clerk's own series, whose numbers and dates no other clerk influences; it restarts each year. */
export class Series {
  readonly documents: Numbered[] = [];

  constructor(
    readonly id: string,
    readonly prefix: string,
  ) {}

  /** The number of the next document of this day. */
  next(issueDate: string): string {
    const year = issueDate.slice(0, 4);
    return `${this.prefix}${year}-${String(this.of(year).length + 1).padStart(4, '0')}`;
  }

  of(year: string): Numbered[] {
    return this.documents.filter(({ issueDate }) => issueDate.startsWith(year));
  }

  /** No document of the year of this day may have an earlier one, unless its date was released. */
  lastIssueDate(day: string): string {
    const counted = this.of(day.slice(0, 4)).filter(({ isReleased }) => !isReleased);
    return counted.reduce((last, { issueDate }) => (issueDate > last ? issueDate : last), '');
  }
}

export interface OwnSeries {
  invoices: Series;
  creditNotes: Series;
}

export const FINANCE = '/v1/admin/finance';
export const BOOKINGS = '/v1/admin/bookings';

const TRACE_LENGTH = 25;

/** A clerk works on separate bookings, records the expected results, and compares them with the service. */
export class Clerk {
  readonly random: Random;
  readonly accounts: Account[] = [];
  readonly email: string;
  drafts: Draft[] = [];
  steps = 0;
  private readonly trace: string[] = [];

  constructor(
    readonly office: Office,
    readonly number: number,
    readonly series: OwnSeries,
  ) {
    this.random = new Random(office.seed, number);
    this.email = `clerk${number}@model.example`;
  }

  get today(): string {
    return this.office.today();
  }

  /** Returns the posting date of this day. */
  postedOn(day: string): string {
    return day < this.office.firstOpenDay ? this.office.firstOpenDay : day;
  }

  /** A day of the past, usually near. */
  pastDay(furthest: number): string {
    return days(this.today, -this.random.int(0, this.random.chance(0.7) ? 0 : furthest));
  }

  /** Stores a draft to issue later. */
  keep({ id, account, installment, lines }: Omit<Draft, 'sources'>): void {
    this.drafts.push({ id, account, installment, lines, sources: sourcesOf(account, installment) });
  }

  note(text: string): void {
    this.trace.push(`${this.steps} ${this.today} ${text}`);
    if (this.trace.length > TRACE_LENGTH) this.trace.shift();
  }

  /** Sends a call that succeeds and returns its data. */
  async send<Data>(method: string, path: string, body?: object): Promise<Data> {
    const answer = await this.call<{ data: Data }>(method, path, body);
    if (answer.status > 201)
      throw this.failure(`${method} ${path} ${JSON.stringify(body)} was rejected: ${answer.text}`);
    return answer.body.data;
  }

  post<Data>(path: string, body?: object): Promise<Data> {
    return this.send('POST', path, body);
  }

  /** Returns null if the call is rejected with this code; without a code it succeeds. */
  async postUnless<Data>(code: string | null, path: string, body: object): Promise<Data | null> {
    const answer = await this.call<{ data: Data; code?: string }>('POST', path, body);
    if (code !== null && answer.body.code === code) return null;
    if (answer.status > 201) throw this.failure(`POST ${path} ${JSON.stringify(body)} was rejected: ${answer.text}`);
    return answer.body.data;
  }

  /** The first 200 of a list. */
  async list<Row>(path: string): Promise<{ data: Row[] }> {
    return (await this.call<{ data: Row[] }>('GET', `${path}?limit=200`)).body;
  }

  /** Sends a call that must be rejected with this code, or one of these. */
  async rejected(method: string, path: string, rejection: { body?: object; codes: readonly string[] }): Promise<void> {
    const { body, codes } = rejection;
    const answer = await this.call<{ code?: string }>(method, path, body);
    if (codes.includes(answer.body.code ?? '')) return;
    throw this.failure(
      `${method} ${path} ${JSON.stringify(body)} was to be rejected with ${codes.join()}: ${answer.text}`,
    );
  }

  /** Compares the service with the clerk's expectations for these bookings. */
  async check(accounts: readonly Account[]): Promise<void> {
    for (const account of accounts) {
      const money = await this.send<BookingMoney>('GET', `${FINANCE}/bookings/${account.id}/money`);
      adoptIds(account, money);
      this.same(`the money of ${account.id}`, amountsOf(money), expectedMoney(account, this));
    }
  }

  same(what: string, actual: unknown, expected: unknown): void {
    if (isDeepStrictEqual(actual, expected)) return;
    throw this.failure(`${what}:\n  service ${JSON.stringify(actual)}\n  clerk   ${JSON.stringify(expected)}`);
  }

  failure(text: string): Error {
    const { number, steps, trace } = this;
    const replay = `MODEL_SEED=${this.office.seed} MODEL_CLERK=${number} repeats it with this clerk alone`;
    return new Error(`Clerk ${number}, step ${steps}: ${text}\n${replay}\nIts last steps:\n${trace.join('\n')}`);
  }

  /** A loaded service responds with 503 and has written nothing. */
  private async call<Body>(method: string, path: string, body?: object): Promise<Answer<Body>> {
    for (;;) {
      const answer = await this.office.client.request<Body>(method, path, body ? { body } : {});
      if (answer.status !== 503) return answer;
    }
  }
}

/** The items, and the installment, that a draft is drawn from. */
export function sourcesOf({ liveItems }: Account, installment: Installment | null): string {
  const items = liveItems.map(({ id, quantity, unit, tax }) => [id, quantity, quantity * unit, tax].join(' '));
  const { amount, due, status } = installment ?? {};
  return [...items, amount, due, status === 'cancelled'].join('; ');
}

/** New installments are identified by their position until their ids are read. */
function adoptIds(account: Account, { installments }: BookingMoney): void {
  for (const [index, installment] of account.installments.entries()) installment.id ??= installments[index]?.id ?? null;
}
