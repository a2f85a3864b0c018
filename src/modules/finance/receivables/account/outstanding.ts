/** An unpaid installment with its outstanding amount. */
export interface OpenInstallment {
  id: string;
  dueDate: string;
  position: number;
  outstandingCents: number;
}

/** An unpaid issued invoice with its outstanding amount. */
export interface OpenInvoice {
  id: string;
  /** The installment for which it was issued; null for an invoice of the whole booking. */
  scheduleId: string | null;
  issueDate: string;
  outstandingCents: number;
}

/** A part of a payment that settles an installment, an invoice or both. */
export interface BookingShare {
  scheduleId: string | null;
  invoiceId: string | null;
  amountCents: number;
}

type Target = 'scheduleId' | 'invoiceId';

/**
 * The outstanding amounts of a booking in one currency: installments by due date and position, invoices by issue date. An
 * allocated part counts on the installment and on an invoice, and is no longer outstanding for the next part.
 *
 * Money of an installment counts first on its own invoice, then on the oldest invoices of the whole booking, then on invoices
 * of other installments, up to the amount by which such an invoice exceeds the need of its installment, which was paid before
 * the issue or costs less now. Without the last step, a booking that is paid and billed in full would keep an open invoice.
 */
export class Outstanding {
  private readonly installments: OpenInstallment[];
  private readonly invoices: OpenInvoice[];

  constructor(
    installments: readonly OpenInstallment[],
    invoices: readonly OpenInvoice[],
    /** In a cancelled booking no installment needs its invoice; paid money stays allocated until the settlement. */
    private readonly isCancelled = false,
  ) {
    this.installments = installments.map((open) => ({ ...open })).sort(byDueDate);
    this.invoices = invoices.map((open) => ({ ...open })).sort(byIssueDate);
  }

  /** Returns the amount that can still be allocated to this installment or invoice; 0 if it is not open. */
  of(target: { scheduleId?: string | null; invoiceId?: string | null }): number {
    const rests = [
      ...(target.scheduleId ? [this.installment(target.scheduleId)] : []),
      ...(target.invoiceId ? [this.invoice(target.invoiceId)] : []),
    ].map((open) => open?.outstandingCents ?? 0);
    return rests.length > 0 ? Math.min(...rests) : 0;
  }

  /** Settles open installments in order, the oldest first, up to this amount. The shares may be less than that. */
  spread(cents: number): BookingShare[] {
    return partsOf(this.installments, cents).flatMap(({ id, part }) => this.onInstallment(id, part));
  }

  /** Settles open invoices alone, the oldest first, up to this amount. */
  spreadOverInvoices(cents: number): BookingShare[] {
    return partsOf(this.invoices, cents).flatMap(({ id: invoiceId, part }) =>
      this.allocate({ scheduleId: null, invoiceId, amountCents: part }),
    );
  }

  onInstallment(id: string, cents: number): BookingShare[] {
    const parts = this.overInvoices(id, cents);
    const rest = parts.reduce((left, { part }) => left - part, cents);
    return [
      ...parts.flatMap(({ id: invoiceId, part }) => this.allocate({ scheduleId: id, invoiceId, amountCents: part })),
      ...this.allocate({ scheduleId: id, invoiceId: null, amountCents: rest }),
    ];
  }

  /**
   * Does the same for money that already settles installments: allocates only the invoices' parts. Each installment's own
   * invoice and the invoices of the whole booking come first for all of them. Returns the shares of each part.
   */
  onInvoicesLater(settled: readonly Pick<BookingShare, 'scheduleId' | 'amountCents'>[]): BookingShare[][] {
    const parts = settled.map(({ scheduleId, amountCents }) => ({
      ...{ scheduleId, leftCents: amountCents },
      shares: new Array<BookingShare>(),
    }));
    for (const invoicesOf of [(id: string) => this.ownInvoices(id), (id: string) => this.otherInvoices(id)]) {
      for (const settling of parts) {
        const { scheduleId, leftCents } = settling;
        if (scheduleId === null) continue;
        for (const { id: invoiceId, part: amountCents } of partsOf(invoicesOf(scheduleId), leftCents)) {
          this.allocate({ scheduleId: null, invoiceId, amountCents });
          settling.shares.push({ scheduleId, invoiceId, amountCents });
          settling.leftCents -= amountCents;
        }
      }
    }
    return parts.map(({ scheduleId, leftCents: amountCents, shares }) =>
      amountCents > 0 ? [...shares, { scheduleId, invoiceId: null, amountCents }] : shares,
    );
  }

  /** Allocates money that already pays an invoice to the invoice's `own` installment, then to other open ones. */
  onInstallmentsLater(
    { invoiceId, own }: { invoiceId: string | null; own: string | null },
    cents: number,
  ): BookingShare[] {
    const isOwn = ({ id }: OpenInstallment) => id === own;
    const candidates = [...this.installments.filter(isOwn), ...this.installments.filter((open) => !isOwn(open))];
    const parts = partsOf(candidates, cents);
    const rest = parts.reduce((left, { part }) => left - part, cents);
    const shares = parts.flatMap(({ id: scheduleId, part }) =>
      this.allocate({ scheduleId, invoiceId: null, amountCents: part }),
    );
    return [
      ...shares.map((share) => ({ ...share, invoiceId })),
      ...(rest > 0 ? [{ scheduleId: null, invoiceId, amountCents: rest }] : []),
    ];
  }

  withoutInvoices(): Outstanding {
    return new Outstanding(this.installments, [], this.isCancelled);
  }

  /** Returns whether nothing is outstanding on any invoice or installment. */
  isEmpty(): boolean {
    return [...this.installments, ...this.invoices].every(({ outstandingCents }) => outstandingCents === 0);
  }

  /** Allocates to the installment of the invoice, then to open ones, oldest first; the rest counts on none. */
  onInvoice(id: string, cents: number): BookingShare[] {
    const invoice = this.invoice(id);
    const isOwn = (installment: OpenInstallment) => installment.id === invoice?.scheduleId;
    const candidates = [...this.installments.filter(isOwn), ...this.installments.filter((open) => !isOwn(open))];
    const parts = partsOf(candidates, cents);
    const rest = parts.reduce((left, { part }) => left - part, cents);
    return [
      ...parts.flatMap(({ id: scheduleId, part }) => this.allocate({ scheduleId, invoiceId: id, amountCents: part })),
      ...this.allocate({ scheduleId: null, invoiceId: id, amountCents: rest }),
    ];
  }

  /** Allocates to this installment and this invoice at once. */
  onBoth(target: Record<Target, string>, amountCents: number): BookingShare[] {
    return this.allocate({ ...target, amountCents });
  }

  private overInvoices(scheduleId: string, cents: number): { id: string; part: number }[] {
    return partsOf([...this.ownInvoices(scheduleId), ...this.otherInvoices(scheduleId)], cents);
  }

  private ownInvoices(scheduleId: string): OpenInvoice[] {
    const own = this.invoices.filter((invoice) => invoice.scheduleId === scheduleId);
    return [...own, ...this.invoices.filter((invoice) => invoice.scheduleId === null)];
  }

  /** Returns the invoices of other installments, with the part that their own installment does not need. */
  private otherInvoices(scheduleId: string): { id: string; outstandingCents: number }[] {
    if (this.isCancelled) return [];
    return this.invoices
      .filter((invoice) => invoice.scheduleId !== null && invoice.scheduleId !== scheduleId)
      .map(({ id, scheduleId: own, outstandingCents }) => {
        const neededCents = this.installment(own ?? '')?.outstandingCents ?? 0;
        return { id, outstandingCents: Math.max(0, outstandingCents - neededCents) };
      });
  }

  /**
   * Subtracts the share from both of its targets and returns it; empty if it is 0. Throws RangeError beyond the outstanding
   * amount.
   */
  private allocate(share: BookingShare): BookingShare[] {
    const { scheduleId, invoiceId, amountCents } = share;
    if (amountCents === 0) return [];
    if (amountCents > this.of(share)) throw new RangeError('More than is outstanding');
    const installment = scheduleId === null ? null : this.installment(scheduleId);
    const invoice = invoiceId === null ? null : this.invoice(invoiceId);
    if (installment) installment.outstandingCents -= amountCents;
    if (invoice) invoice.outstandingCents -= amountCents;
    return [share];
  }

  private installment(id: string): OpenInstallment | undefined {
    return this.installments.find((open) => open.id === id);
  }

  private invoice(id: string): OpenInvoice | undefined {
    return this.invoices.find((open) => open.id === id);
  }
}

/** Allocates to each in turn, up to its outstanding amount. */
function partsOf(candidates: readonly { id: string; outstandingCents: number }[], cents: number) {
  let rest = cents;
  return candidates.flatMap(({ id, outstandingCents }) => {
    const part = Math.min(rest, outstandingCents);
    rest -= part;
    return part > 0 ? [{ id, part }] : [];
  });
}

function byDueDate(one: OpenInstallment, other: OpenInstallment): number {
  return order(one.dueDate, other.dueDate) || one.position - other.position || order(one.id, other.id);
}

function byIssueDate(one: OpenInvoice, other: OpenInvoice): number {
  return order(one.issueDate, other.issueDate) || order(one.id, other.id);
}

function order(one: string, other: string): number {
  return one === other ? 0 : one < other ? -1 : 1;
}
