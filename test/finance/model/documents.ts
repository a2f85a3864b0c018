import { days } from '../payment-plans/plans.js';
import type { Account } from './account.js';
import { type Clerk, FINANCE, type Series } from './clerk.js';
import { statusOf } from './expectations.js';
import { isConfirmed, type Outcome } from './sales.js';
import { creditedOf, type CreditLine, type DocumentLine, type IssuedInvoice, totalOf } from './records.js';
import { rounded, sorted, sum } from './taxes.js';

interface Document {
  id: string;
  number: string;
  status: string;
  issueDate: string;
  totalCents: number;
  taxCents: number;
  openReducedCents: number;
  releasedCents: number;
  lines: { totalCents: number; taxCents: number; taxCode: string | null; linePosition: number }[];
}

const INVOICES = `${FINANCE}/invoices`;
const CREDIT_NOTES = `${FINANCE}/credit-notes`;

/** Issues an invoice of an installment or of the booking: on a day that is allowed, or on one that is not. */
export async function bill(clerk: Clerk): Outcome {
  const { random } = clerk;
  const account = random.pick(clerk.accounts.filter(isConfirmed));
  if (!account) return null;
  const wanted = account.installments.filter(({ status }) => status !== 'cancelled');
  const installment = random.chance(0.7) ? (random.pick(wanted) ?? null) : null;
  if (!installment && account.claim <= account.billed) return null;
  const scheduleId = installment ? { scheduleId: installment.id } : {};
  const body = { bookingId: account.id, ...scheduleId };
  const isBilled = account.issued.some(
    (one) => one.installment === installment && statusOf(account, one) !== 'credited',
  );
  if (installment && isBilled) {
    await clerk.rejected('POST', INVOICES, { body, code: 'schedule_already_invoiced' });
    return [account];
  }
  const lines = account.linesFor(installment);
  if (lines === 'credit_due' || lines === 'exceeds') {
    const code = lines === 'credit_due' ? lines : 'invoice_exceeds_booking';
    await clerk.rejected('POST', INVOICES, { body, code });
    return [account];
  }
  const total = sum(lines.map(({ gross }) => gross));
  if (account.billed + total > account.claim) {
    await clerk.rejected('POST', INVOICES, { body, code: 'invoice_exceeds_booking' });
    return [account];
  }
  const draft = await clerk.post<Document>(INVOICES, body);
  const { invoices: series } = clerk.series;
  const issueDate = days(clerk.today, random.chance(0.6) ? 0 : random.int(-34, 1));
  const rejection = rejectionOf(clerk, series, { issueDate, notBefore: '' });
  const issuance = { issueDate, seriesId: series.id };
  if (rejection) {
    await clerk.rejected('POST', `${INVOICES}/${draft.id}/issuance`, { body: issuance, code: rejection });
    await clerk.send('DELETE', `${INVOICES}/${draft.id}`);
    return [account];
  }
  const number = series.next(issueDate);
  const issued = await clerk.post<Document>(`${INVOICES}/${draft.id}/issuance`, issuance);
  clerk.note(`bill ${account.id} ${number} ${issueDate} ${total} of installment ${installment?.position ?? '-'}`);
  const credited = { creditedGross: 0, creditedTax: 0 };
  const invoice: IssuedInvoice = {
    ...{ id: draft.id, installment, issueDate, series: series.id, void: false, fee: false },
    lines: lines.map((line) => ({ ...line, ...credited })),
  };
  account.issue(invoice);
  series.documents.push({ number, issueDate, invoice, isReleased: false });
  compareDocument(clerk, issued, { number, status: statusOf(account, invoice), lines });
  return [account];
}

export async function voidInvoice(clerk: Clerk): Outcome {
  const { random } = clerk;
  const account = random.pick(clerk.accounts.filter(({ issued }) => issued.length > 0));
  const invoice = account && random.pick(account.issued);
  if (!account || !invoice) return null;
  const path = `${INVOICES}/${invoice.id}/voiding`;
  const body = { reason: 'Made out to the wrong company' };
  const isClosed = invoice.issueDate < clerk.office.firstOpenDay;
  if (isClosed || account.paid(invoice) > 0 || creditedOf(invoice) > 0) {
    await clerk.rejected('POST', path, { body, code: 'credit_note_required' });
    return [account];
  }
  await clerk.post(path, body);
  clerk.note(`void ${account.id} ${invoice.id}`);
  invoice.void = true;
  account.applyMoney();
  return [account];
}

/** Credits what was billed too much, of the newest invoices first. */
export async function creditDue(clerk: Clerk): Outcome {
  const account = clerk.random.pick(clerk.accounts.filter(owesCredit));
  if (!account) return null;
  await creditAll(clerk, account);
  return [account];
}

export function owesCredit(account: Account): boolean {
  return isConfirmed(account) && sorted(account.creditDue).length > 0;
}

/** Afterwards no group is billed beyond what is owed. A wrong tax is corrected: the invoices are credited in full. */
export async function creditAll(clerk: Clerk, account: Account): Promise<void> {
  for (const invoice of newestFirst(account)) {
    const lines = dueLinesOf(account, invoice);
    if (sum(lines.map(({ gross }) => gross)) > 0)
      await credit(clerk, account, { invoice, lines, reason: 'booking_changed' });
  }
  for (const invoice of newestFirst(account)) {
    const wrong = sorted(account.creditDue).map(([code]) => code);
    if (!invoice.lines.some(({ code }) => wrong.includes(code))) continue;
    await credit(clerk, account, { invoice, lines: restLines(invoice), reason: 'correction' });
  }
}

/** Credits a part of a line, or all of an invoice, which may then be billed again. */
export async function creditPart(clerk: Clerk): Outcome {
  const { random } = clerk;
  const account = random.pick(clerk.accounts.filter((one) => isConfirmed(one) && newestFirst(one).length > 0));
  const invoice = account && random.pick(newestFirst(account));
  if (!account || !invoice) return null;
  const rests = restLines(invoice);
  const line = random.pick(rests.filter(({ gross }) => gross > 0));
  if (!line || random.chance(0.3)) {
    await credit(clerk, account, { invoice, lines: rests, reason: 'correction' });
    return [account];
  }
  const gross = random.int(1, Math.ceil(line.gross * 1.1));
  const available = sum(rests.map((rest) => rest.gross));
  const requested = [{ linePosition: line.position, amountCents: gross }];
  if (gross > line.gross || gross > available) {
    const body = { invoiceId: invoice.id, reason: 'correction', reasonText: 'Wrong', lines: requested };
    await clerk.rejected('POST', CREDIT_NOTES, { body, code: 'over_credited' });
    return [account];
  }
  const tax = gross === line.gross ? line.tax : rounded(line.tax * gross, line.gross);
  const lines = [{ position: line.position, gross, tax }];
  await credit(clerk, account, { invoice, lines, requested, reason: 'correction' });
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
    await clerk.rejected('POST', path, { body, code: 'document_still_open' });
    return [];
  }
  await clerk.post(path, body);
  clerk.note(`releaseDate ${document.number}`);
  document.isReleased = true;
  return [];
}

interface Crediting {
  invoice: IssuedInvoice;
  lines: CreditLine[];
  requested?: object[];
  reason: string;
}

async function credit(clerk: Clerk, account: Account, { invoice, lines, requested, reason }: Crediting): Promise<void> {
  const request = {
    invoiceId: invoice.id,
    reason,
    reasonText: 'Agreed by phone',
    ...(requested ? { lines: requested } : {}),
  };
  const draft = await clerk.post<Document>(CREDIT_NOTES, request);
  const { creditNotes: series } = clerk.series;
  const issueDate = clerk.today;
  const number = series.next(issueDate);
  const body = { issueDate, seriesId: series.id };
  const issued = await clerk.post<Document>(`${CREDIT_NOTES}/${draft.id}/issuance`, body);
  const total = sum(lines.map(({ gross }) => gross));
  clerk.note(`credit ${account.id} ${number} ${total} of ${invoice.id} for ${reason}`);
  const { openReduced, released } = account.credit(invoice, lines, issueDate);
  series.documents.push({ number, issueDate, invoice: null, isReleased: false });
  const coded = lines.map((line) => ({ ...line, code: invoice.lines[line.position - 1]?.code ?? '' }));
  compareDocument(clerk, issued, { number, status: 'issued', lines: coded });
  clerk.same('what the credit note reduced', [issued.openReducedCents, issued.releasedCents], [openReduced, released]);
}

/** Why a document cannot have this date; null if it can. */
function rejectionOf({ today, office }: Clerk, series: Series, on: { issueDate: string; notBefore: string }) {
  const { issueDate, notBefore } = on;
  const earliest = days(today, -31);
  if (issueDate > today || issueDate < earliest || issueDate < notBefore) return 'issue_date_out_of_bounds';
  if (issueDate < office.firstOpenDay) return 'period_closed';
  return issueDate < series.lastIssueDate(issueDate) ? 'issue_date_out_of_sequence' : null;
}

interface ExpectedDocument {
  number: string;
  status: string;
  lines: readonly Pick<DocumentLine, 'code' | 'gross' | 'tax'>[];
}

function compareDocument(clerk: Clerk, actual: Document, { number, status, lines }: ExpectedDocument): void {
  clerk.same(
    `the document ${actual.id}`,
    [
      actual.number,
      actual.status,
      actual.totalCents,
      actual.taxCents,
      ...actual.lines.map((line) => [line.taxCode ?? 'given', line.totalCents, line.taxCents].join(' ')),
    ],
    [
      number,
      status,
      sum(lines.map(({ gross }) => gross)),
      sum(lines.map(({ tax }) => tax)),
      ...lines.map(({ code, gross, tax }) => [code, gross, tax].join(' ')),
    ],
  );
}

/** Invoices that are not credited in full. */
function newestFirst(account: Account): IssuedInvoice[] {
  const open = account.issued.filter((invoice) => creditedOf(invoice) < totalOf(invoice));
  const key = ({ issueDate, id }: IssuedInvoice) => `${issueDate} ${id}`;
  return open.sort((a, b) => (key(a) < key(b) ? 1 : -1));
}

/** What is left of the lines of an invoice. */
export function restLines({ lines }: IssuedInvoice): CreditLine[] {
  return lines
    .map(({ gross, tax, creditedGross, creditedTax }, index) => ({
      position: index + 1,
      gross: gross - creditedGross,
      tax: tax - creditedTax,
    }))
    .filter(({ gross, tax }) => gross !== 0 || tax !== 0);
}

/** The credit due of each group, from the last line of the invoice; the one that is credited in part takes the exact tax. */
function dueLinesOf(account: Account, invoice: IssuedInvoice): CreditLine[] {
  const lines = sorted(account.creditDue).flatMap(([code, due]) => {
    if (due.gross === 0) return [];
    const rests = restLines(invoice).filter(({ position }) => invoice.lines[position - 1]?.code === code);
    if (due.gross >= sum(rests.map(({ gross }) => gross))) return rests;
    let { gross, tax } = due;
    return rests
      .filter((rest) => rest.gross > 0)
      .reverse()
      .flatMap((rest) => {
        if (gross === 0) return [];
        const part = Math.min(gross, rest.gross);
        const share = part === rest.gross ? rest.tax : Math.min(Math.max(0, tax), rest.tax, part);
        gross -= part;
        tax -= share;
        return [{ position: rest.position, gross: part, tax: share }];
      })
      .reverse();
  });
  return lines;
}
