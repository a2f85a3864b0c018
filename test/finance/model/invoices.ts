import { days } from '../payment-plans/plans.js';
import type { Account } from './account.js';
import type { DrawnLine } from './billed-booking.js';
import { type Clerk, type Draft, FINANCE, type Series, sourcesOf } from './clerk.js';
import { statusOf } from './expectations.js';
import type { Installment } from './plan.js';
import { creditedOf, type IssuedInvoice, totalOf } from './records.js';
import { isLive, type Outcome } from './sales.js';
import { GIVEN, includedTax, sum } from './taxes.js';

export interface Document {
  id: string;
  number: string | null;
  status: string;
  issueDate: string;
  totalCents: number;
  taxCents: number;
  openReducedCents: number;
  releasedCents: number;
  lines: {
    totalCents: number;
    taxCents: number;
    taxCode: string | null;
    taxRateBasisPoints: number | null;
    linePosition: number;
  }[];
}

const INVOICES = `${FINANCE}/invoices`;

/** Draws an invoice of an installment or of the booking, and usually issues it immediately. */
export async function bill(clerk: Clerk): Outcome {
  const { random } = clerk;
  const account = random.pick(clerk.accounts.filter(isLive));
  if (!account) return null;
  const wanted = account.installments.filter(({ status }) => status !== 'cancelled');
  const installment = random.chance(0.7) ? (random.pick(wanted) ?? null) : null;
  if (!installment && account.billed >= (account.status === 'draft' ? account.total : account.claim)) return null;
  const body = { bookingId: account.id, ...(installment ? { scheduleId: installment.id } : {}) };
  if (installment && isOnInvoice(clerk, account, installment)) {
    await clerk.rejected('POST', INVOICES, { body, codes: ['schedule_already_invoiced'] });
    return [account];
  }
  const lines = account.linesFor(installment);
  if (typeof lines === 'string') {
    await clerk.rejected('POST', INVOICES, { body, codes: [lines] });
    return [account];
  }
  const draft = await clerk.postUnless<Document>(mayOweCredit(account), INVOICES, body);
  if (!draft) return null;
  compareDocument(clerk, draft, { number: null, status: 'draft', lines: atRates(clerk, draft, lines) });
  if (random.chance(0.15)) {
    clerk.note(`draft ${account.id} of installment ${installment?.position ?? '-'}`);
    clerk.keep({ id: draft.id, account, installment, lines });
    return [account];
  }
  const isIssued = await issue(clerk, { id: draft.id, account, installment, lines });
  if (!isIssued) await clerk.send('DELETE', `${INVOICES}/${draft.id}`);
  return [account];
}

/** Bills the unbilled rest, at once or one installment at a time. */
export async function billRest(clerk: Clerk, account: Account): Promise<void> {
  if (account.status === 'cancelled') return billFee(clerk, account);
  const wanted = account.installments.filter(({ status }) => status !== 'cancelled');
  for (const installment of clerk.random.chance(0.5) ? [...wanted, null] : [null]) {
    const left = account.claim - account.billed;
    if (left <= 0) return;
    if (installment && (installment.amount > left || isOnInvoice(clerk, account, installment))) continue;
    await billNow(clerk, account, installment);
  }
}

/** Bills an installment, or the booking, today. */
export async function billNow(clerk: Clerk, account: Account, installment: Installment | null): Promise<void> {
  if (installment) await clerk.check([account]);
  const body = { bookingId: account.id, ...(installment ? { scheduleId: installment.id } : {}) };
  const lines = account.linesFor(installment);
  if (typeof lines === 'string') throw clerk.failure(`${account.id} cannot be billed: ${lines}`);
  const draft = await clerk.post<Document>(INVOICES, body);
  compareDocument(clerk, draft, { number: null, status: 'draft', lines: atRates(clerk, draft, lines) });
  await issueOn(clerk, clerk.today, { id: draft.id, account, installment, lines });
}

/** Bills the fee again after its invoice was voided. */
async function billFee(clerk: Clerk, account: Account): Promise<void> {
  const fee = account.installments.find((installment) => installment.fee);
  if (!fee?.id || account.claim === account.billed) return;
  const draft = await clerk.post<Document>(INVOICES, { bookingId: account.id, scheduleId: fee.id });
  const lines = [{ code: GIVEN, basisPoints: null, gross: fee.amount, tax: 0 }];
  compareDocument(clerk, draft, { number: null, status: 'draft', lines });
  await issueOn(clerk, clerk.today, { id: draft.id, account, installment: fee, lines });
}

/** Issues an earlier draft: as it is, or computed again if its sources have changed. */
export async function issueDraft(clerk: Clerk): Outcome {
  const { random } = clerk;
  const draft = random.pick(clerk.drafts);
  if (!draft) return null;
  const { id, account, installment } = draft;
  const fresh = installment?.status === 'cancelled' ? [] : account.linesFor(installment);
  const isChanged = sourcesOf(account, installment) !== draft.sources;
  const isSame = typeof fresh !== 'string' && sameLines(fresh, draft.lines);
  const onStale = random.chance(0.5) ? { onStale: 'redraw' } : {};
  if (typeof fresh !== 'string' && fresh.length > 0 && ('onStale' in onStale || (!isChanged && isSame))) {
    if (await issue(clerk, { id, account, installment, lines: fresh, ...onStale })) {
      clerk.drafts = clerk.drafts.filter((one) => one !== draft);
      return [account];
    }
  } else {
    const codes = ['draft_stale', 'credit_due', 'invoice_exceeds_booking', 'schedule_cancelled'];
    const isStale = isChanged && !('onStale' in onStale);
    const rejection = { body: onStale, codes: isStale ? ['draft_stale'] : codes };
    await clerk.rejected('POST', `${INVOICES}/${id}/issuance`, rejection);
  }
  if (random.chance(0.5)) {
    await clerk.send('DELETE', `${INVOICES}/${id}`);
    clerk.drafts = clerk.drafts.filter((one) => one !== draft);
  }
  return [account];
}

/** The code with which the service may reject a bill because too much is billed at one of several rates of a tax code. */
export function mayOweCredit({ mixedCodes }: Account): string | null {
  return mixedCodes.length > 0 ? 'credit_due' : null;
}

interface Issuing extends Omit<Draft, 'sources'> {
  onStale?: string;
}

/** Issues a draft on an allowed day, or tries a forbidden one and returns false. */
async function issue(clerk: Clerk, { id, account, installment, lines, ...redraw }: Issuing): Promise<boolean> {
  const { invoices: series } = clerk.series;
  const issueDate = days(clerk.today, clerk.random.chance(0.6) ? 0 : clerk.random.int(-34, 1));
  const rejection = rejectionOf(clerk, series, issueDate);
  const body = { issueDate, seriesId: series.id, ...redraw };
  if (rejection) {
    await clerk.rejected('POST', `${INVOICES}/${id}/issuance`, { body, codes: [rejection] });
    return false;
  }
  return issueOn(clerk, issueDate, { id, account, installment, lines, ...redraw });
}

/** Returns false if too much is billed at another rate. */
async function issueOn(
  clerk: Clerk,
  issueDate: string,
  { id, account, installment, lines, ...redraw }: Issuing,
): Promise<boolean> {
  const { invoices: series } = clerk.series;
  const body = { issueDate, seriesId: series.id, ...redraw };
  const rejection = 'onStale' in redraw ? mayOweCredit(account) : null;
  const issued = await clerk.postUnless<Document>(rejection, `${INVOICES}/${id}/issuance`, body);
  if (!issued) return false;
  const number = series.next(issueDate);
  const total = sum(lines.map(({ gross }) => gross));
  clerk.note(`bill ${account.id} ${number} ${issueDate} ${total} of installment ${installment?.position ?? '-'}`);
  const drawn = atRates(clerk, issued, lines);
  const invoice: IssuedInvoice = {
    ...{ id, installment, issueDate, void: false, sent: false, fee: installment?.fee ?? false },
    lines: drawn.map((line) => ({ ...line, creditedGross: 0, creditedTax: 0 })),
    discounts: [],
  };
  account.issue(invoice);
  series.documents.push({ number, issueDate, invoice, isReleased: false });
  compareDocument(clerk, issued, { number, status: statusOf(account, invoice), lines: drawn });
  return true;
}

/** An installment is on one document at a time, even if that is a draft. */
function isOnInvoice({ drafts }: Clerk, account: Account, installment: Installment): boolean {
  const isDrafted = drafts.some((draft) => draft.installment === installment);
  const live = account.issued.filter((invoice) => statusOf(account, invoice) !== 'credited');
  return isDrafted || live.some((invoice) => invoice.installment === installment);
}

/** A sent invoice can only be credited. */
export async function deliver(clerk: Clerk): Outcome {
  const account = clerk.random.pick(
    clerk.accounts.filter(({ issued }) => issued.some(({ sent, fee }) => !sent && !fee)),
  );
  const invoice = account && clerk.random.pick(account.issued.filter(({ sent, fee }) => !sent && !fee));
  if (!account || !invoice) return null;
  await clerk.post(`${INVOICES}/${invoice.id}/delivery`, { sentOn: clerk.today });
  clerk.note(`deliver ${account.id} ${invoice.id}`);
  invoice.sent = true;
  return [account];
}

export async function voidInvoice(clerk: Clerk): Outcome {
  const { random } = clerk;
  const account = random.pick(clerk.accounts.filter(({ issued, isKept }) => issued.length > 0 && !isKept));
  const invoice = account && random.pick(account.issued);
  if (!account || !invoice) return null;
  const path = `${INVOICES}/${invoice.id}/voiding`;
  const body = { reason: 'Made out to the wrong company' };
  const isOver = invoice.issueDate.slice(0, 7) < clerk.today.slice(0, 7);
  if (isOver || invoice.sent || account.paid(invoice) > 0 || creditedOf(invoice) > 0) {
    await clerk.rejected('POST', path, { body, codes: ['credit_note_required'] });
    return [account];
  }
  await clerk.post(path, body);
  clerk.note(`void ${account.id} ${invoice.id}`);
  invoice.void = true;
  account.applyMoney();
  return [account];
}

/** The date of a document that is void or credited no longer counts, so that an earlier one can follow. */
export async function releaseDate(clerk: Clerk): Outcome {
  const { invoices: series } = clerk.series;
  const document = clerk.random.pick(series.documents.filter(({ isReleased }) => !isReleased).slice(-4));
  const { invoice } = document ?? {};
  if (!document || !invoice) return null;
  const path = `${FINANCE}/invoice-number-series/${series.id}/date-releases`;
  const body = { invoiceId: invoice.id, reason: 'Wrong day' };
  if (!invoice.void && creditedOf(invoice) < totalOf(invoice)) {
    await clerk.rejected('POST', path, { body, codes: ['document_still_open'] });
    return [];
  }
  await clerk.post(path, body);
  clerk.note(`releaseDate ${document.number}`);
  document.isReleased = true;
  return [];
}

/** Returns the reason why a document cannot have this date; null if it can. */
function rejectionOf({ today, office }: Clerk, series: Series, issueDate: string): string | null {
  if (issueDate > today || issueDate < days(today, -31)) return 'issue_date_out_of_bounds';
  if (issueDate < office.firstOpenDay) return 'period_closed';
  return issueDate < series.lastIssueDate(issueDate) ? 'issue_date_out_of_sequence' : null;
}

/** The minor units by which the tax of a line may differ from its rate, because the last documents have the exact rest. */
const ROUNDED = 5;

/**
 * Returns the expected lines, with one amount per rate for items that have several rates, split as the service did. The
 * reference fixes the sums; each line has one rate, and its tax is of this rate.
 */
export function atRates(clerk: Clerk, { id, lines: actual }: Document, lines: readonly DrawnLine[]): DrawnLine[] {
  let next = 0;
  const drawn = lines.flatMap((line) => {
    if (line.code === GIVEN || line.basisPoints !== null) {
      next += 1;
      return [line];
    }
    const parts: DrawnLine[] = [];
    for (; actual[next]?.taxCode === line.code; next += 1) {
      const { taxRateBasisPoints: basisPoints, totalCents: gross = 0, taxCents: tax = 0 } = actual[next] ?? {};
      parts.push({ code: line.code, basisPoints: basisPoints ?? null, gross, tax });
    }
    const sums = [sum(parts.map(({ gross }) => gross)), sum(parts.map(({ tax }) => tax))];
    clerk.same(`the lines of ${line.code} on ${id}`, sums, [line.gross, line.tax]);
    return parts;
  });
  for (const { code, basisPoints, gross, tax } of drawn) {
    if (code === GIVEN) continue;
    const isOfRate = basisPoints !== null && Math.abs(tax - includedTax(gross, basisPoints)) <= ROUNDED;
    clerk.same(`whether ${tax} of ${gross} ${code} on ${id} is of the rate ${basisPoints}`, isOfRate, true);
  }
  return drawn;
}

interface ExpectedDocument {
  number: string | null;
  status: string;
  lines: readonly DrawnLine[];
}

export function compareDocument(clerk: Clerk, actual: Document, { number, status, lines }: ExpectedDocument): void {
  clerk.same(
    `the document ${actual.id}`,
    [
      actual.number,
      actual.status,
      actual.totalCents,
      actual.taxCents,
      ...actual.lines.map((line) =>
        [line.taxCode ?? 'given', line.taxRateBasisPoints, line.totalCents, line.taxCents].join(' '),
      ),
    ],
    [
      number,
      status,
      sum(lines.map(({ gross }) => gross)),
      sum(lines.map(({ tax }) => tax)),
      ...lines.map(({ code, basisPoints, gross, tax }) => [code, basisPoints, gross, tax].join(' ')),
    ],
  );
}

function sameLines(one: readonly DrawnLine[], other: readonly DrawnLine[]): boolean {
  const figures = (lines: readonly DrawnLine[]) =>
    lines.map(({ code, gross, tax }) => `${code} ${gross} ${tax}`).join();
  return figures(one) === figures(other);
}
