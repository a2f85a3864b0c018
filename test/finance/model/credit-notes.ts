import type { Account } from './account.js';
import { BOOKINGS, type Clerk, FINANCE } from './clerk.js';
import { atRates, compareDocument, type Document, mayOweCredit } from './invoices.js';
import { creditedOf, type CreditLine, type IssuedInvoice, totalOf } from './records.js';
import { codeOf, groupsOf, isConfirmed, type Outcome } from './sales.js';
import { grouped, includedTax, isWrong, rounded, sorted, sum } from './taxes.js';

const CREDIT_NOTES = `${FINANCE}/credit-notes`;

/** Credits excess billing, starting with the newest invoices. */
export async function creditDue(clerk: Clerk): Outcome {
  const account = clerk.random.pick(clerk.accounts.filter(owesCredit));
  if (!account) return null;
  await creditAll(clerk, account);
  return [account];
}

export function owesCredit(account: Account): boolean {
  return account.status === 'confirmed' && sorted(account.creditDue).length > 0;
}

/** Whether documents may bill too much at one rate of a tax code, although the tax code is not billed in excess. */
export function mayOweAtRate(account: Account): boolean {
  return account.status === 'confirmed' && account.mixedCodes.length > 0;
}

/** Afterwards no group is billed beyond the amount owed. A wrong tax is corrected: the invoices are credited in full. */
export async function creditAll(clerk: Clerk, account: Account): Promise<void> {
  for (const invoice of newestFirst(account)) {
    const due = sorted(account.creditDue).map(([code, { gross }]) => Math.min(gross, restOf(invoice, code).gross));
    const isOptional = account.mixedCodes.length > 0;
    if (sum(due) > 0 || isOptional) await credit(clerk, account, { invoice, reason: 'booking_changed', isOptional });
  }
  for (const invoice of newestFirst(account)) {
    const wrong = sorted(account.creditDue).map(([code]) => code);
    if (!invoice.lines.some(({ code }) => wrong.includes(code))) continue;
    await credit(clerk, account, { invoice, lines: restLines(invoice), reason: 'correction' });
  }
}

/** Credits a part of a line, or a whole invoice, as a correction or as goodwill, which lowers the price. */
export async function creditPart(clerk: Clerk): Outcome {
  const { random } = clerk;
  const account = random.pick(clerk.accounts.filter((one) => isConfirmed(one) && newestFirst(one).length > 0));
  const invoice = account && random.pick(newestFirst(account));
  if (!account || !invoice) return null;
  const rests = restLines(invoice);
  const line = random.pick(rests.filter((rest) => rest.gross > 0 && isOfLine(invoice, rest)));
  if (!line || random.chance(0.3)) {
    await credit(clerk, account, { invoice, lines: rests, reason: 'correction' });
    return [account];
  }
  const gross = random.int(1, Math.ceil(line.gross * 1.1));
  const available = sum(rests.map((rest) => rest.gross));
  const requested = [{ linePosition: line.position, amountCents: gross }];
  const entries = rests.filter(({ position }) => position === line.position);
  const room = { gross: sum(entries.map((rest) => rest.gross)), tax: sum(entries.map((rest) => rest.tax)) };
  if (gross > room.gross || gross > available) {
    const body = { invoiceId: invoice.id, reason: 'correction', reasonText: 'Wrong', lines: requested };
    await clerk.rejected('POST', CREDIT_NOTES, { body, codes: ['over_credited'] });
    return [account];
  }
  const tax = gross === line.gross ? line.tax : rounded(line.tax * gross, line.gross);
  // A line bears the discounts that were credited on it, so no more tax than its rest is credited.
  const isWhole = gross === room.gross;
  const lines = isWhole ? entries : [{ ...line, gross, tax: entries.length > 1 ? Math.min(tax, room.tax) : tax }];
  const code = invoice.lines[line.position - 1]?.code ?? '';
  const isGoodwill = random.chance(0.5) && entries.length === 1 && bears(account, code, lines);
  await credit(clerk, account, { invoice, lines, requested, reason: isGoodwill ? 'goodwill' : 'correction' });
  return [account];
}

/** Credits an invoice in full and bills the same installment or booking again. */
export async function correct(clerk: Clerk): Outcome {
  const { random } = clerk;
  const account = random.pick(clerk.accounts.filter((one) => isConfirmed(one) && newestFirst(one).length > 0));
  const invoice = account && random.pick(newestFirst(account));
  if (!account || !invoice || invoice.installment?.status === 'cancelled') return null;
  const preview = account.linesWithout(invoice);
  const body = { reasonText: 'Made out to the wrong company' };
  const path = `${FINANCE}/invoices/${invoice.id}/correction`;
  if (typeof preview === 'string') {
    await clerk.rejected('POST', path, { body, codes: [preview] });
    return [account];
  }
  const corrected = await clerk.postUnless<Record<'creditNote' | 'invoice', Document>>(
    mayOweCredit(account),
    path,
    body,
  );
  if (!corrected) return null;
  const { creditNote, invoice: draft } = corrected;
  clerk.note(`correct ${account.id} ${invoice.id}`);
  const lines = restLines(invoice);
  account.credit(invoice, lines, clerk.today);
  const coded = lines.map((line) => ({ ...line, ...codeOfLine(invoice, line) }));
  compareDocument(clerk, creditNote, { number: creditNote.number, status: 'issued', lines: coded });
  compareDocument(clerk, draft, { number: null, status: 'draft', lines: atRates(clerk, draft, preview) });
  clerk.keep({ id: draft.id, account, installment: invoice.installment, lines: preview });
  return [account];
}

function codeOfLine({ lines }: IssuedInvoice, { position }: CreditLine) {
  return { code: lines[position - 1]?.code ?? '' };
}

/** Whether the entry is the line of the invoice, and not a discount that was credited on it. */
function isOfLine({ lines }: IssuedInvoice, { position, basisPoints }: CreditLine): boolean {
  return lines[position - 1]?.basisPoints === basisPoints;
}

interface Crediting {
  invoice: IssuedInvoice;
  /** If omitted, credits the excess; the service selects the lines of each group. */
  lines?: CreditLine[];
  requested?: object[];
  reason: string;
  /** The invoice may have no line at a rate at which too much is billed. */
  isOptional?: boolean;
}

async function credit(clerk: Clerk, account: Account, crediting: Crediting): Promise<void> {
  const { invoice, requested, reason } = crediting;
  const [invoiceId, reasonText] = [invoice.id, 'Agreed by phone'];
  const request = { invoiceId, reason, reasonText, ...(requested ? { lines: requested } : {}) };
  const rejection = crediting.isOptional ? 'over_credited' : null;
  const draft = await clerk.postUnless<Document>(rejection, CREDIT_NOTES, request);
  if (!draft) return;
  const { creditNotes: series } = clerk.series;
  const issueDate = clerk.today;
  const number = series.next(issueDate);
  const body = { issueDate, seriesId: series.id };
  const issued = await clerk.post<Document>(`${CREDIT_NOTES}/${draft.id}/issuance`, body);
  const lines = crediting.lines ?? dueLinesOf(account, { invoice, issued, clerk });
  const total = sum(lines.map(({ gross }) => gross));
  clerk.note(`credit ${account.id} ${number} ${total} of ${invoice.id} for ${reason}`);
  const { code = '' } = invoice.lines[(lines[0]?.position ?? 0) - 1] ?? {};
  if (reason === 'goodwill') await adjust(clerk, account, { code, lines, issued });
  const { openReduced, released } = account.credit(invoice, lines, issueDate);
  series.documents.push({ number, issueDate, invoice: null, isReleased: false });
  const coded = lines.map((line) => ({ ...line, ...codeOfLine(invoice, line) }));
  compareDocument(clerk, issued, { number, status: 'issued', lines: coded });
  clerk.same('what the credit note reduced', [issued.openReducedCents, issued.releasedCents], [openReduced, released]);
}

/**
 * Goodwill is a separate item for the amount of the credit note, at the rate of the credited line, even after the rate of the
 * tax code has changed, or at the rate of its day if the line shows none.
 */
async function adjust(
  clerk: Clerk,
  account: Account,
  { code, lines, issued }: { code: string; lines: readonly CreditLine[]; issued: Document },
): Promise<void> {
  const { data: items } = await clerk.list<{ id: string; taxIncludedCents: number }>(`${BOOKINGS}/${account.id}/items`);
  const added = items.filter(({ id }) => account.items.every((known) => known.id !== id));
  const found = codeOf(clerk, code);
  const gross = sum(lines.map((line) => line.gross));
  const basisPoints = found && (issued.lines[0]?.taxRateBasisPoints ?? found.basisPoints);
  const tax = basisPoints !== null ? includedTax(-gross, basisPoints) : -sum(lines.map((line) => line.tax));
  clerk.same(
    'the taxes of the adjustment',
    added.map(({ taxIncludedCents }) => taxIncludedCents),
    [tax],
  );
  const before = account.total;
  const item = {
    id: added[0]?.id ?? '',
    code,
    basisPoints,
    quantity: 1,
    unit: -gross,
    tax,
  };
  account.items.push({ ...item, isReduction: true, cancelled: false });
  account.totalChanged(before, clerk.today);
}

/** Whether the tax group stays at or above 0. An adjustment beside coded items has a code. */
function bears(account: Account, code: string, lines: readonly CreditLine[]): boolean {
  const group = groupsOf(account.liveItems).get(code);
  const [gross, tax] = [sum(lines.map((line) => line.gross)), sum(lines.map((line) => line.tax))];
  const isMixed = code === 'given' && account.liveItems.some((item) => item.code !== 'given');
  return !isMixed && group !== undefined && !isWrong({ gross: group.gross - gross, tax: group.tax - tax });
}

/** Invoices that are not credited in full. */
function newestFirst(account: Account): IssuedInvoice[] {
  const open = account.issued.filter((invoice) => creditedOf(invoice) < totalOf(invoice));
  const key = ({ issueDate, id }: IssuedInvoice) => `${issueDate} ${id}`;
  return open.sort((a, b) => (key(a) < key(b) ? 1 : -1));
}

/** Returns the uncredited rest of the lines of an invoice, each with the discounts that were credited on it. */
export function restLines({ lines, discounts }: IssuedInvoice): CreditLine[] {
  return lines
    .flatMap(({ basisPoints, gross, tax, creditedGross, creditedTax }, index) => {
      const own = discounts.filter(({ position }) => position === index + 1);
      const atRates = grouped(own.map((discount) => [String(discount.basisPoints), discount.gross, discount.tax]));
      return [
        { position: index + 1, basisPoints, gross: gross - creditedGross, tax: tax - creditedTax },
        ...[...atRates].map(([rate, credited]) => {
          return { position: index + 1, basisPoints: Number(rate), gross: -credited.gross, tax: -credited.tax };
        }),
      ];
    })
    .filter(({ gross, tax }) => gross !== 0 || tax !== 0);
}

function restOf(invoice: IssuedInvoice, code: string): { gross: number; tax: number } {
  const own = restLines(invoice).filter(({ position }) => invoice.lines[position - 1]?.code === code);
  return { gross: sum(own.map(({ gross }) => gross)), tax: sum(own.map(({ tax }) => tax)) };
}

interface Drawn {
  clerk: Clerk;
  invoice: IssuedInvoice;
  issued: Document;
}

/**
 * Checks the lines that the service selected for the credit due, and their taxes. The reference fixes the sum of each group,
 * not the lines: whole lines have all of their tax, and at most one of a group is credited in part, with the exact tax.
 * If a code has several rates, each part has the tax of its line's rate.
 */
function dueLinesOf(account: Account, { clerk, invoice, issued }: Drawn): CreditLine[] {
  const rests = restLines(invoice);
  const restAt = ({ position, basisPoints }: Omit<CreditLine, 'gross' | 'tax'>) =>
    rests.find((rest) => rest.position === position && rest.basisPoints === basisPoints) ?? { gross: 0, tax: 0 };
  const chosen = issued.lines.map((line): CreditLine => {
    const { linePosition: position, taxRateBasisPoints: basisPoints, totalCents: gross, taxCents: tax } = line;
    return { position, basisPoints, gross, tax };
  });
  const codes = new Set([...sorted(account.creditDue).map(([code]) => code), ...account.mixedCodes]);
  return [...codes]
    .flatMap((code) => {
      const due = account.creditDue.get(code) ?? { gross: 0, tax: 0 };
      const own = chosen.filter(({ position }) => invoice.lines[position - 1]?.code === code);
      const parts = own.filter((line) => restAt(line).gross !== line.gross);
      if (account.mixedCodes.includes(code)) {
        return own.map((line) => ({ ...line, tax: parts.includes(line) ? line.tax : restAt(line).tax }));
      }
      const expected = Math.min(due.gross, Math.max(0, restOf(invoice, code).gross));
      clerk.same(`the credit of ${code}`, [sum(own.map(({ gross }) => gross)), parts.length <= 1], [expected, true]);
      const whole = own.filter((line) => !parts.includes(line));
      const left = due.tax - sum(whole.map((line) => restAt(line).tax));
      return own.map((line) => {
        const { tax } = restAt(line);
        return { ...line, tax: parts.includes(line) ? Math.min(Math.max(0, left), tax, line.gross) : tax };
      });
    })
    .sort((a, b) => indexOf(chosen, a) - indexOf(chosen, b));
}

function indexOf(lines: readonly CreditLine[], { position, basisPoints }: CreditLine): number {
  return lines.findIndex((line) => line.position === position && line.basisPoints === basisPoints);
}
