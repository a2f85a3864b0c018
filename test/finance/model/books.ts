import { isDeepStrictEqual } from 'node:util';
import type { TestClient } from '../../setup/client.js';
import { days } from '../payment-plans/plans.js';
import type { Account } from './account.js';
import { type Clerk, FINANCE, type Office } from './clerk.js';
import { isReceived } from './records.js';
import { sum } from './taxes.js';

type Row = Record<string, unknown>;

interface Page {
  data: Row[];
  totals: Row[];
  total: number;
}

interface Period {
  status: string;
  figures: { name: string; currency: string; cents: string | number }[];
}

/** Reports of a day that can still be reproduced later. */
interface Printed {
  day: string;
  knownAt: string;
  texts: Map<string, string>;
}

const CURRENCIES = ['EUR', 'JPY', 'KWD'];
/** Reports of the open amounts of a day. */
const AS_OF = [
  ...['receivables?groupBy=booking', 'receivables?basis=document&groupBy=booking', 'receivables/entries?'],
  ...['receivables/entries?basis=document', 'open-installments?', 'unapplied-money?', 'payables?'],
];
/** A barrier requests the reports of this many earlier days again. */
const REPEATED = 6;

/** The figures of the whole organization, which are computed from the clerks' records at each barrier. */
export class Books {
  private readonly printed: Printed[] = [];
  private readonly closed = new Map<string, Period>();
  private opening = new Map<string, number>();

  constructor(
    private readonly office: Office,
    private readonly now: () => Date,
    /** The months before were closed without them. */
    private nextPeriod: string,
  ) {}

  /** Stores the figures from before the clerks began. */
  async open(): Promise<void> {
    this.opening = await this.bankBalances();
    this.office.firstOpenDay = `${this.nextPeriod}-01`;
  }

  async check(clerks: readonly Clerk[]): Promise<void> {
    const accounts = clerks.flatMap((clerk) => clerk.accounts);
    await this.checkIntegrity();
    await this.checkOpenAmounts(accounts);
    await this.checkMoney(accounts, clerks);
    await this.checkNumbers(clerks);
    await this.checkPrinted();
    await this.closePeriods(accounts);
    await this.print();
  }

  private async checkIntegrity(): Promise<void> {
    const report = await this.data<{ conserved: boolean; checks: { violations: number }[] }>(`${FINANCE}/integrity`);
    const violated = report.checks.filter(({ violations }) => violations > 0);
    this.same('the integrity report', [report.conserved, violated], [true, []]);
  }

  /** Receivables per booking, of installments and of documents, and their sums. */
  private async checkOpenAmounts(accounts: readonly Account[]): Promise<void> {
    const bySchedule = new Map(accounts.map((one) => [one.id, owedBy(one)]));
    const installments = await this.checkReceivables('receivables?groupBy=booking', bySchedule);
    for (const { id, claim, received } of accounts.filter(({ status }) => status !== 'draft')) {
      this.same(`what is owed of ${id}`, installments.get(id) ?? 0, claim - received);
    }
    const byDocument = new Map(accounts.map((one) => [one.id, owedOnDocuments(one)]));
    const documents = await this.checkReceivables('receivables?groupBy=booking&basis=document', byDocument);
    for (const { id, billed, received } of accounts) {
      this.same(`what is owed on documents of ${id}`, documents.get(id) ?? 0, billed - received);
    }
    const { data } = await this.page('unapplied-money?');
    for (const account of accounts) {
      const own = data.filter((row) => row['bookingId'] === account.id);
      const found = [total(own, 'unappliedCents'), total(own, 'reservedCents')];
      this.same(`unapplied money of ${account.id}`, found, [account.unapplied() + account.held, account.reserved]);
    }
  }

  /** Returns the debt of each booking, less prepaid money. */
  private async checkReceivables(path: string, expected: ReadonlyMap<string, number>): Promise<Map<string, number>> {
    const { data, totals } = await this.page(path);
    const found = new Map(data.map((row) => [String(row['bookingId']), Number(row['openCents'])]));
    for (const [id, cents] of expected) this.same(`${path} of ${id}`, found.get(id) ?? 0, cents);
    for (const row of totals) {
      const ofCurrency = data.filter(({ currency }) => currency === row['currency']);
      this.same(`the totals of ${path}`, row['openCents'], total(ofCurrency, 'openCents'));
    }
    return new Map(
      data.map((row) => [String(row['bookingId']), Number(row['openCents']) - Number(row['prepaidCents'])]),
    );
  }

  /** Compares the bank movements since the clerks began, and the credit of each customer. */
  private async checkMoney(accounts: readonly Account[], clerks: readonly Clerk[]): Promise<void> {
    const balances = await this.bankBalances();
    for (const currency of CURRENCIES) {
      const received = sum(accounts.filter((one) => one.currency === currency).map(throughBank));
      const moved = (balances.get(currency) ?? 0) - (this.opening.get(currency) ?? 0);
      this.same(`the payment journal in ${currency}`, moved, received);
    }
    for (const clerk of clerks) {
      const query = `customerEmail=${encodeURIComponent(clerk.email)}&limit=200`;
      const { body } = await this.client.get<{ data: Row[] }>(`${FINANCE}/customer-credit?${query}`);
      for (const currency of CURRENCIES) {
        const own = clerk.accounts.filter((one) => one.currency === currency);
        const found = body.data.find((row) => row['currency'] === currency);
        const expected = sum(own.map((one) => one.unapplied()));
        this.same(`the credit of ${clerk.email} in ${currency}`, found?.['unappliedCents'] ?? 0, expected);
      }
    }
  }

  /** Each number of a clerk's series is on one document, without gaps; the dates match the clerk's. */
  private async checkNumbers(clerks: readonly Clerk[]): Promise<void> {
    const year = this.office.today().slice(0, 4);
    for (const clerk of clerks) {
      for (const series of [clerk.series.invoices, clerk.series.creditNotes]) {
        const expected = series.of(year).map(({ number, issueDate }) => `${number} ${issueDate} -`);
        const found: string[] = [];
        while (found.length < expected.length) {
          const path = `${FINANCE}/invoice-number-series/${series.id}/sequence-report`;
          const query = `periodKey=${year}&limit=200&offset=${found.length}`;
          const { body } = await this.client.get<{ data: Row[] }>(`${path}?${query}`);
          if (body.data.length === 0) break;
          found.push(
            ...body.data.map((row) => `${text(row['number'])} ${text(row['issueDate'])} ${text(row['anomaly'])}`),
          );
        }
        this.same(`the numbers of ${series.prefix}`, found, expected);
      }
    }
  }

  /** A report of a past day, from the data known on that day, does not change; neither do the figures of a closed month. */
  private async checkPrinted(): Promise<void> {
    const isClosed = ({ day }: Printed) => day < this.office.firstOpenDay;
    for (const { day, knownAt, texts } of this.printed.slice(-REPEATED)) {
      for (const [path, before] of texts) {
        const now = await this.csv(`${path}&asOf=${day}&knownAt=${knownAt}`);
        this.same(`${path} of ${day}, known at ${knownAt}`, now, before);
      }
    }
    for (const printed of this.printed.filter(isClosed)) printed.texts.clear();
    for (const [period, before] of this.closed) {
      const now = await this.data<Period>(`${FINANCE}/periods/${period}`);
      this.same(`the period ${period}`, now, before);
    }
  }

  private async print(): Promise<void> {
    const [day, knownAt] = [this.office.today(), this.now().toISOString()];
    const texts = new Map<string, string>();
    for (const path of AS_OF) texts.set(path, await this.csv(`${path}&asOf=${day}`));
    this.printed.push({ day, knownAt, texts });
  }

  /** Closes months that ended some days ago, so that the last days of a month can still be posted. */
  private async closePeriods(accounts: readonly Account[]): Promise<void> {
    const limit = days(this.office.today(), -10).slice(0, 7);
    for (; this.nextPeriod < limit; this.nextPeriod = following(this.nextPeriod)) {
      const period = this.nextPeriod;
      const answer = await this.client.post<{ data: Period }>(`${FINANCE}/periods/${period}/closing`);
      this.same(`the closing of ${period}`, [answer.status, answer.text], [200, answer.text]);
      const stored = answer.body.data;
      for (const [name, figureOf] of Object.entries(FIGURES)) {
        for (const currency of CURRENCIES) {
          const figure = stored.figures.find((one) => one.name === name && one.currency === currency);
          const own = accounts.filter((one) => one.currency === currency);
          const expected = sum(own.map((account) => figureOf(account, period)));
          this.same(`${name} of ${period} in ${currency}`, Number(figure?.cents ?? 0), expected);
        }
      }
      this.closed.set(period, await this.data<Period>(`${FINANCE}/periods/${period}`));
      this.office.firstOpenDay = `${following(period)}-01`;
    }
  }

  /** Returns the bank balance of the payment journal. */
  private async bankBalances(): Promise<Map<string, number>> {
    const { totals } = await this.page(`payment-journal?from=2020-01-01&to=${this.office.today()}`);
    return new Map(totals.map((row) => [String(row['currency']), Number(row['closingCents'])]));
  }

  private get client(): TestClient {
    return this.office.client;
  }

  /** All pages of a report. */
  private async page(path: string): Promise<Page> {
    const rows: Row[] = [];
    for (;;) {
      const query = `${path}&limit=200&offset=${rows.length}`;
      const { status, body, text: found } = await this.client.get<Page>(`${FINANCE}/reports/${query}`);
      this.same(`the answer of ${path}`, [status, found], [200, found]);
      rows.push(...body.data);
      if (rows.length >= body.total) return { ...body, data: rows };
    }
  }

  private async csv(path: string): Promise<string> {
    const { status, text: found } = await this.client.get(`${FINANCE}/reports/${path}&format=csv`);
    this.same(`the answer of ${path}`, [status, found], [200, found]);
    return found;
  }

  private async data<Data>(path: string): Promise<Data> {
    return (await this.client.get<{ data: Data }>(path)).body.data;
  }

  private same(what: string, actual: unknown, expected: unknown): void {
    if (isDeepStrictEqual(actual, expected)) return;
    const [service, clerks] = differing(actual, expected);
    throw new Error(
      `Seed ${this.office.seed}, ${this.office.today()}: ${what}:\n  service ${service}\n  clerks  ${clerks}`,
    );
  }
}

/** Computes the figures of a month from the clerks' records. */
const FIGURES: Record<string, (account: Account, period: string) => number> = {
  invoiced: (account, period) => documentsOf(account, period, 'gross'),
  output_tax: (account, period) => documentsOf(account, period, 'tax'),
  payments: (account, period) =>
    sum(
      account.money.flatMap(({ kind, status, amount, postedOn, reversedOn }) => {
        const cents = kind === 'receipt' ? amount : kind === 'refund' ? -amount : 0;
        const isMoved = status === 'completed' || status === 'reversed';
        const moved = isMoved && postedOn.startsWith(period) ? cents : 0;
        return [moved, reversedOn?.startsWith(period) ? -cents : 0];
      }),
    ) - sum(account.payouts.map(({ amount, postedOn }) => (postedOn.startsWith(period) ? amount : 0))),
};

function documentsOf({ issued, credits }: Account, period: string, amount: 'gross' | 'tax'): number {
  const ofPeriod = ({ issueDate }: { issueDate: string }) => issueDate.startsWith(period);
  const invoiced = issued.filter(ofPeriod).flatMap(({ lines }) => lines.map((line) => line[amount]));
  return sum(invoiced) - sum(credits.filter(ofPeriod).map((credit) => credit[amount]));
}

/** Returns open installments and refunds that no money covers, without quotes. */
function owedBy(account: Account): number {
  const installments = account.status === 'draft' ? [] : account.installments;
  return (
    sum(installments.map((one) => account.outstanding(one))) + sum(account.money.map((one) => account.uncovered(one)))
  );
}

/** Open invoices and refunds that no money covers. */
function owedOnDocuments(account: Account): number {
  const invoices = account.issued.map((invoice) => account.balance(invoice));
  return sum([...invoices, ...account.money.map((one) => account.uncovered(one))]);
}

function throughBank({ money, payouts }: Account): number {
  const completed = money.filter(({ status, transferId }) => status === 'completed' && transferId === null);
  const moved = sum(completed.map((one) => (isReceived(one) ? one.amount : -one.amount)));
  return moved - sum(payouts.map(({ amount }) => amount));
}

function following(period: string): string {
  return days(`${period}-28`, 4).slice(0, 7);
}

function total(rows: readonly Row[], column: string): number {
  return sum(rows.map((row) => Number(row[column])));
}

function text(value: unknown): string {
  return value === null ? '-' : String(value);
}

/** Returns the first different lines of long texts. */
function differing(actual: unknown, expected: unknown): [string, string] {
  if (typeof actual !== 'string' || typeof expected !== 'string') {
    return [JSON.stringify(actual), JSON.stringify(expected)];
  }
  const [one, other] = [actual.split('\r\n'), expected.split('\r\n')];
  return [
    one.filter((line) => !other.includes(line)).join('\n'),
    other.filter((line) => !one.includes(line)).join('\n'),
  ];
}
