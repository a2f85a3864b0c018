import {
  firstDueFirst,
  type Installment,
  isOpen,
  latestFirst,
  planned,
  type Policy,
  redate,
  redateReopened,
  waivedOf,
} from './plan.js';
import { allocationsOf, type Share } from './application.js';
import { BilledBooking } from './billed-booking.js';
import {
  type Allocation,
  creditedOf,
  type CreditLine,
  type DocumentLine,
  isReceived,
  type IssuedCredit,
  type IssuedInvoice,
  type Item,
  type Money,
  totalOf,
} from './records.js';
import { sum } from './taxes.js';

/** A clerk's own record of a booking, computed only from the clerk's steps by the formulas of the finance reference. */
export class Account extends BilledBooking {
  status: 'draft' | 'confirmed' | 'cancelled' = 'draft';
  /** The fee of a cancelled booking; null until the cancellation is settled. */
  agreedFee: number | null = null;
  confirmedOn: string | null = null;
  /** Its sale and its documents are not changed at random. */
  isKept = false;
  plan: Installment[] | null = null;
  readonly credits: IssuedCredit[] = [];
  readonly money: Money[] = [];
  /** Commissions that were paid to agents; the items are changed no more. */
  readonly payouts: { item: Item; amount: number; postedOn: string }[] = [];
  allocations: Allocation[] = [];
  /** Reductions of installments by the cancellation of an item. */
  private readonly taken = new Map<Item, { installment: Installment; cents: number; waived: boolean }[]>();
  /** The plan before the cancellation, for a reinstatement. */
  private before: Pick<Installment, 'amount' | 'status'>[] = [];

  constructor(
    readonly id: string,
    readonly currency: string,
    readonly policy: Policy,
    public departure: string | null,
    private readonly today: () => string,
  ) {
    super();
  }

  get installments(): Installment[] {
    return this.plan ?? [];
  }

  get waived(): number {
    return waivedOf(this.installments);
  }

  get claim(): number {
    if (this.status === 'draft') return this.billed;
    if (this.status === 'cancelled') return this.agreedFee ?? 0;
    return this.total - this.waived;
  }

  get received(): number {
    const completed = this.money.filter(({ status }) => status === 'completed');
    return sum(completed.map((one) => (isReceived(one) ? one.amount : -one.amount)));
  }

  /** Returns the amount of one receipt, or of all. */
  unapplied(one?: Money): number {
    const receipts = one ? [one] : this.money.filter((money) => isReceived(money) && money.status === 'completed');
    return sum(receipts.map(({ amount }) => amount)) - this.applied(({ money }) => receipts.includes(money));
  }

  /** Returns the money that covers requested refunds. */
  get reserved(): number {
    return this.applied(({ refund }) => refund?.status === 'requested');
  }

  /** Returns money allocated to debts that do not count: of a cancelled booking before its settlement, or of a quote. */
  get held(): number {
    const isUnsettled = this.status === 'cancelled' && this.agreedFee === null;
    const isQuote = this.status === 'draft';
    return this.applied(
      ({ installment, invoice, refund }) =>
        refund === null && (isUnsettled || (isQuote && invoice === null && installment !== null)),
    );
  }

  covered(refund: Money): number {
    return this.applied((row) => row.refund === refund);
  }

  uncovered(refund: Money): number {
    return refund.status === 'completed' && !isReceived(refund) ? refund.amount - this.covered(refund) : 0;
  }

  paid(target: Installment | IssuedInvoice): number {
    return this.applied(({ installment, invoice }) => installment === target || invoice === target);
  }

  balance(invoice: IssuedInvoice): number {
    return invoice.void ? 0 : totalOf(invoice) - creditedOf(invoice) - this.paid(invoice);
  }

  outstanding(installment: Installment): number {
    return isOpen(installment) ? installment.amount - this.paid(installment) : 0;
  }

  /** A confirmed booking has a plan as soon as it costs something. */
  confirm(today: string): void {
    this.status = 'confirmed';
    this.confirmedOn = today;
    this.startPlan(today);
    this.applyMoney();
  }

  /** Cancels an item, and keeps the reductions of the plan for its reinstatement. */
  itemCancelled(item: Item, before: number, today: string): void {
    const amounts = new Map(this.installments.map((one) => [one, { counted: countedOf(one), waived: one.waived }]));
    this.totalChanged(before, today);
    this.taken.set(
      item,
      [...amounts].map(([installment, { counted, waived }]) => {
        return { installment, cents: Math.max(0, counted - countedOf(installment)), waived };
      }),
    );
  }

  /** Reinstates an item: reverses the reductions of its cancellation, and adds the rest as an amendment. */
  itemReinstated(item: Item, before: number, today: string): void {
    let left = this.total - before;
    for (const { installment, cents, waived } of this.taken.get(item) ?? []) {
      const part = Math.max(0, Math.min(left, cents));
      // Staff have waived this installment in the meantime.
      if (part === 0 || (installment.waived && !waived)) continue;
      const isWaived = waived && installment.status === 'cancelled';
      installment.amount = countedOf(installment) + part;
      Object.assign(installment, isWaived ? { waived: true } : { status: 'pending', waived: false });
      this.settle(installment);
      left -= part;
    }
    this.taken.delete(item);
    this.totalChanged(this.total - left, today);
  }

  /** Adjusts the plan to the total after items were changed. */
  totalChanged(before: number, today: string): void {
    const more = this.total - before;
    if (this.plan === null) {
      if (this.status === 'confirmed') this.startPlan(today);
    } else if (more > 0) {
      const withOthers = latestFirst(this.plan.filter(isOpen))[0]?.due ?? today;
      const latest = this.departure !== null && this.departure > today ? this.departure : today;
      const due = this.departure !== null && latest < withOthers ? latest : withOthers;
      this.add({ due, amount: more, offset: null });
    } else if (more < 0) this.shrink(-more);
    this.applyMoney();
  }

  moveDeparture(departure: string, today: string): void {
    this.departure = departure;
    if (this.plan && this.status !== 'cancelled') redate(this.plan, this.policy, { today, departure });
  }

  waive(installment: Installment): void {
    Object.assign(installment, { status: 'cancelled', waived: true });
    this.applyMoney();
  }

  /** Waives the rest of an installment, which becomes a separate installment if a part was paid. */
  writeOff(installment: Installment): void {
    const rest = this.outstanding(installment);
    if (rest === installment.amount) return this.waive(installment);
    installment.amount -= rest;
    this.settle(installment);
    this.waive(Object.assign(this.add({ due: installment.due, amount: rest, offset: null }), { fixed: true }));
  }

  unwaive(installment: Installment): void {
    Object.assign(installment, { status: 'pending', waived: false });
    this.applyMoney();
  }

  /** Adds an issued invoice, which money received earlier settles. */
  issue(invoice: IssuedInvoice): void {
    this.invoices.push(invoice);
    this.applyMoney();
  }

  /** The open balance falls first; the excess releases money, the latest first. */
  credit(
    invoice: IssuedInvoice,
    lines: readonly CreditLine[],
    issueDate: string,
  ): { openReduced: number; released: number } {
    const total = sum(lines.map(({ gross }) => gross));
    const openReduced = Math.min(total, this.balance(invoice));
    this.releaseFromInvoice(invoice, total - openReduced);
    for (const { position, basisPoints, gross, tax } of lines) {
      const line = invoice.lines[position - 1];
      if (line?.basisPoints === basisPoints) {
        Object.assign(line, { creditedGross: line.creditedGross + gross, creditedTax: line.creditedTax + tax });
      } else if (line) invoice.discounts.push({ position, code: line.code, basisPoints, gross, tax });
    }
    this.credits.push({ issueDate, gross: total, tax: sum(lines.map(({ tax }) => tax)) });
    this.applyMoney();
    return { openReduced, released: total - openReduced };
  }

  /** Staff named the shares. */
  receive(money: Money, shares: readonly Share[] = []): void {
    this.money.push(money);
    this.allocations.push(...shares.map((share) => ({ ...share, money })));
    for (const installment of this.installments) this.settle(installment);
    this.applyMoney();
  }

  /** Unapplied money covers a refund or an outgoing transfer, the latest receipts first. */
  payOut(refund: Money): void {
    let left = refund.amount;
    this.money.push(refund);
    for (const money of this.receipts.reverse()) {
      const cents = Math.min(left, this.unapplied(money));
      left -= cents;
      if (cents > 0) this.allocations.push({ money, installment: null, invoice: null, refund, cents });
    }
  }

  /** Releases an allocation by hand; its money no longer settles debts automatically. */
  releaseByHand(row: Allocation): void {
    this.allocations = this.allocations.filter((one) => one !== row);
    row.money.autoApply = false;
    if (row.installment) this.settle(row.installment);
    this.applyMoney();
  }

  /** Makes the money of a failed or returned refund unapplied again. */
  takeBack(refund: Money, status: 'failed' | 'reversed', today: string): void {
    Object.assign(refund, { status, reversedOn: status === 'reversed' ? today : null });
    this.allocations = this.allocations.filter((row) => row.refund !== refund);
    this.applyMoney();
  }

  /** Reopens the debts that a reversed receipt settled, and fails the requested refunds that it covered. */
  reverse(money: Money, today: string): void {
    const rows = this.allocations.filter((row) => row.money === money);
    Object.assign(money, { status: 'reversed', reversedOn: today });
    this.allocations = this.allocations.filter((row) => row.money !== money);
    for (const installment of new Set(rows.flatMap((row) => row.installment ?? []))) this.settle(installment);
    for (const refund of new Set(rows.flatMap((row) => row.refund ?? []))) {
      if (refund.status !== 'requested') continue;
      refund.status = 'failed';
      this.allocations = this.allocations.filter((row) => row.refund !== refund);
    }
    this.applyMoney();
  }

  cancel(): void {
    this.before = this.installments.map(({ amount, status }) => ({ amount, status }));
    this.status = 'cancelled';
    for (const item of this.liveItems) item.cancelled = true;
    this.closeOpen();
  }

  reinstate(items: readonly Item[]): void {
    this.status = 'confirmed';
    for (const item of items) item.cancelled = false;
    for (const [index, { amount, status }] of this.before.entries()) {
      const installment = this.installments[index];
      if (!installment || status === 'cancelled') continue;
      Object.assign(installment, { amount, status: 'pending' });
      this.settle(installment);
    }
    this.applyMoney();
  }

  /** Credits and releases everything; then bills the fee and pays it from received money. */
  settleCancellation(fee: number, { today, feeInvoice }: { today: string; feeInvoice: IssuedInvoice | null }): void {
    for (const invoice of this.issued) for (const line of invoice.lines) creditRest(line);
    this.allocations = this.allocations.filter(({ refund }) => refund !== null);
    for (const installment of this.installments) this.settle(installment);
    this.agreedFee = fee;
    if (fee > 0) {
      const installment = this.add({ due: today, amount: fee, offset: null, fee: true });
      if (feeInvoice) this.invoices.push(Object.assign(feeInvoice, { installment }));
    }
    this.applyMoney();
    this.applyMoney(true);
  }

  /** Returns the receipts with available money, the earliest first. */
  get receipts(): Money[] {
    return this.money
      .filter((one) => isReceived(one) && one.status === 'completed')
      .sort((a, b) => (a.paidOn === b.paidOn ? (a.id < b.id ? -1 : 1) : a.paidOn < b.paidOn ? -1 : 1));
  }

  /** Applies money as in section 4.2. Money released by hand stays unapplied, unless `byHandToo`. */
  applyMoney(byHandToo = false): void {
    this.allocations = allocationsOf(this, byHandToo);
    for (const installment of this.installments) this.settle(installment);
    const { plan, policy, departure, confirmedOn } = this;
    if (!plan || departure === null || this.status === 'cancelled') return;
    redateReopened(plan, policy, { today: this.today(), departure, confirmedOn });
  }

  private startPlan(today: string): void {
    if (this.plan || this.total === 0) return;
    this.plan = [];
    for (const entry of planned(this.total, this.policy, { today, departure: this.departure })) this.add(entry);
  }

  private add(entry: Pick<Installment, 'due' | 'amount' | 'offset'> & { fee?: boolean }): Installment {
    this.plan ??= [];
    const { due, amount, offset, fee = false } = entry;
    const position = Math.max(0, ...this.plan.map((other) => other.position)) + 1;
    const added: Installment = { id: null, position, due, amount, offset, fee, status: 'pending', waived: false };
    this.plan.push(added);
    return added;
  }

  /**
   * Reduces waived amounts first, then open and unbilled ones, then open and billed ones, then paid ones; each group from the
   * latest.
   */
  private shrink(cents: number): void {
    let left = cents;
    for (const installment of latestFirst(this.installments.filter(({ waived }) => waived))) {
      const part = Math.min(left, installment.amount);
      if (part === installment.amount) installment.waived = false;
      else installment.amount -= part;
      left -= part;
    }
    const isBilled = (installment: Installment) =>
      this.issued.some((invoice) => invoice.installment === installment && totalOf(invoice) > creditedOf(invoice));
    for (const billed of [false, true]) {
      for (const installment of latestFirst(
        this.installments.filter((one) => isOpen(one) && isBilled(one) === billed),
      )) {
        left -= this.reduce(installment, Math.min(left, this.outstanding(installment)));
      }
    }
    for (const installment of latestFirst(this.installments.filter(({ status }) => status === 'paid'))) {
      const part = Math.min(left, installment.amount);
      this.release(({ installment: settled }) => settled === installment, part);
      left -= this.reduce(installment, part);
    }
  }

  /** An installment that would have nothing left is cancelled and keeps its last amount. */
  private reduce(installment: Installment, cents: number): number {
    if (cents === installment.amount) installment.status = 'cancelled';
    else installment.amount -= cents;
    this.settle(installment);
    return cents;
  }

  private closeOpen(): void {
    for (const installment of this.installments.filter(isOpen)) this.reduce(installment, this.outstanding(installment));
  }

  /** An installment of a cancelled booking equals its money, except the fee. */
  private settle(installment: Installment): void {
    if (installment.status === 'cancelled') return;
    const paid = this.paid(installment);
    if (this.status === 'cancelled' && !installment.fee) {
      if (paid === 0) installment.status = 'cancelled';
      else installment.amount = paid;
    }
    if (installment.status !== 'cancelled') installment.status = paid === installment.amount ? 'paid' : 'pending';
  }

  /** Releases money, the latest allocation first. */
  private release(isMeant: (row: Allocation) => boolean, cents: number): void {
    let left = cents;
    for (const row of this.allocations.filter(isMeant).reverse()) {
      const part = Math.min(left, row.cents);
      left -= part;
      if (part > 0) this.replace(row, part < row.cents ? [{ ...row, cents: row.cents - part }] : []);
    }
  }

  /** Releases money on the invoice alone first; money that is also on an installment stays there. */
  private releaseFromInvoice(invoice: IssuedInvoice, cents: number): void {
    let left = cents;
    const latest = this.allocations.filter((one) => one.invoice === invoice).reverse();
    const order = [...latest.filter((one) => !one.installment), ...latest.filter((one) => one.installment)];
    for (const row of order) {
      const part = Math.min(left, row.cents);
      left -= part;
      if (part === 0) continue;
      const rest = { ...row, cents: row.cents - part };
      const kept = { ...row, invoice: null, cents: part };
      this.replace(row, [...(rest.cents > 0 ? [rest] : []), ...(row.installment ? [kept] : [])]);
    }
  }

  private replace(row: Allocation, by: readonly Allocation[]): void {
    this.allocations = [...this.allocations.filter((one) => one !== row), ...by];
  }

  private applied(isMeant: (row: Allocation) => boolean): number {
    return sum(this.allocations.filter(isMeant).map(({ cents }) => cents));
  }

  /** Returns the open installments, the earliest due date first. */
  get open(): Installment[] {
    return firstDueFirst(this.installments.filter(isOpen));
  }
}

/** Returns the part of the plan that an installment contributes. */
function countedOf({ status, waived, amount }: Installment): number {
  return status === 'cancelled' && !waived ? 0 : amount;
}

function creditRest(line: DocumentLine): void {
  Object.assign(line, { creditedGross: line.gross, creditedTax: line.tax });
}
