import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type BookingShare, type OpenInstallment, type OpenInvoice, Outstanding } from './outstanding.js';

const deposit = { id: 'deposit', dueDate: '2027-01-10', position: 1, outstandingCents: 30_000 };
const balance = { id: 'balance', dueDate: '2027-05-02', position: 2, outstandingCents: 70_000 };
const wholeBooking = { id: 'whole', scheduleId: null, issueDate: '2027-01-05', outstandingCents: 100_000 };
const ofDeposit = { id: 'of-deposit', scheduleId: 'deposit', issueDate: '2027-01-04', outstandingCents: 30_000 };
const ofBalance = { id: 'of-balance', scheduleId: 'balance', issueDate: '2027-01-03', outstandingCents: 70_000 };

const share = (scheduleId: string | null, invoiceId: string | null, amountCents: number): BookingShare => ({
  scheduleId,
  invoiceId,
  amountCents,
});

describe('a payment without allocations', () => {
  it('a payment without allocations settles open installments by due date, then position', () => {
    const twin = { ...deposit, id: 'twin', position: 0 };
    const shares = new Outstanding([balance, deposit, twin], []).spread(65_000);
    expect(shares).toEqual([share('twin', null, 30_000), share('deposit', null, 30_000), share('balance', null, 5000)]);
  });

  it('a payment without allocations leaves unapplied what no installment needs', () => {
    const shares = new Outstanding([deposit, balance], []).spread(100_001);
    expect(shares).toEqual([share('deposit', null, 30_000), share('balance', null, 70_000)]);
    expect(new Outstanding([], [wholeBooking]).spread(500)).toEqual([]);
  });
});

describe('a payment of an installment', () => {
  it('a payment of an installment counts on its own invoice', () => {
    const outstanding = new Outstanding([deposit, balance], [wholeBooking, ofDeposit]);
    expect(outstanding.onInstallment('deposit', 20_000)).toEqual([share('deposit', 'of-deposit', 20_000)]);
    expect(outstanding.of({ invoiceId: 'of-deposit' })).toBe(10_000);
  });

  it('a payment of an installment without an invoice counts on the oldest open invoice of the booking', () => {
    const older = { ...wholeBooking, id: 'older', issueDate: '2027-01-01', outstandingCents: 12_000 };
    const shares = new Outstanding([balance], [wholeBooking, older]).onInstallment('balance', 70_000);
    expect(shares).toEqual([share('balance', 'older', 12_000), share('balance', 'whole', 58_000)]);
  });

  it('a payment of an installment pays the invoice of another installment only as far as that does not need it', () => {
    const shares = new Outstanding([deposit, balance], [ofBalance]).onInstallment('deposit', 30_000);
    expect(shares).toEqual([share('deposit', null, 30_000)]);
    const half = { ...balance, outstandingCents: 50_000 };
    expect(new Outstanding([deposit, half], [ofBalance]).onInstallment('deposit', 30_000)).toEqual([
      share('deposit', 'of-balance', 20_000),
      share('deposit', null, 10_000),
    ]);
  });
});

describe('a payment of an invoice', () => {
  it('a payment of an invoice is distributed over the open installments, oldest first', () => {
    const shares = new Outstanding([balance, deposit], [wholeBooking]).onInvoice('whole', 50_000);
    expect(shares).toEqual([share('deposit', 'whole', 30_000), share('balance', 'whole', 20_000)]);
  });

  it('a payment of an invoice settles the installment of the invoice before all others', () => {
    const shares = new Outstanding([deposit, { ...balance, outstandingCents: 60_000 }], [ofBalance]).onInvoice(
      'of-balance',
      70_000,
    );
    expect(shares).toEqual([share('balance', 'of-balance', 60_000), share('deposit', 'of-balance', 10_000)]);
  });

  it('a payment of an invoice counts on the invoice only if no installment is open', () => {
    expect(new Outstanding([], [wholeBooking]).onInvoice('whole', 10)).toEqual([share(null, 'whole', 10)]);
  });
});

describe('a payment of an installment before its invoice', () => {
  it("earlier payments count on the installments' own invoices, then on those of the whole booking, then on others", () => {
    const due = [balance];
    const outstanding = new Outstanding(due, [{ ...wholeBooking, outstandingCents: 50 }, ofDeposit, ofBalance]);
    const settled = [
      { scheduleId: 'other', amountCents: 10 },
      { scheduleId: 'deposit', amountCents: 30_070 },
    ];
    expect(outstanding.onInvoicesLater(settled)).toEqual([
      [share('other', 'whole', 10)],
      [share('deposit', 'of-deposit', 30_000), share('deposit', 'whole', 40), share('deposit', null, 30)],
    ]);
    const paid = new Outstanding([], [ofBalance]);
    expect(paid.onInvoicesLater([{ scheduleId: 'deposit', amountCents: 10 }])).toEqual([
      [share('deposit', 'of-balance', 10)],
    ]);
    const cancelled = new Outstanding([], [ofBalance], true);
    expect(cancelled.onInvoicesLater([{ scheduleId: 'deposit', amountCents: 10 }])).toEqual([
      [share('deposit', null, 10)],
    ]);
  });

  it('an earlier payment counts on no invoice if none is open', () => {
    expect(new Outstanding([deposit], []).isEmpty()).toBe(false);
    expect(new Outstanding([], [{ ...wholeBooking, outstandingCents: 0 }]).isEmpty()).toBe(true);
  });
});

it('a payment of both an installment and an invoice is limited by the smaller amount and counts on both', () => {
  const outstanding = new Outstanding([deposit], [wholeBooking]);
  expect(outstanding.of({ scheduleId: 'deposit', invoiceId: 'whole' })).toBe(30_000);
  expect(outstanding.onBoth({ scheduleId: 'deposit', invoiceId: 'whole' }, 30_000)).toHaveLength(1);
  expect([outstanding.of({ scheduleId: 'deposit' }), outstanding.of({ invoiceId: 'whole' })]).toEqual([0, 70_000]);
});

it('a closed installment or invoice has no outstanding amount and accepts no payment', () => {
  const outstanding = new Outstanding([deposit], []);
  expect([outstanding.of({ scheduleId: 'balance' }), outstanding.of({})]).toEqual([0, 0]);
  expect(() => outstanding.onInstallment('deposit', 30_001)).toThrow(RangeError);
  expect(() => outstanding.onInvoice('whole', 1)).toThrow(RangeError);
});

/** Makes a booking with up to six installments, some with their own invoices, and up to three invoices of the whole. */
const cents = fc.integer({ min: 0, max: 1_000 });
const bookings = fc
  .record({
    installments: fc.array(
      fc.record({ day: fc.integer({ min: 1, max: 4 }), outstandingCents: cents, invoiced: fc.option(cents) }),
      { maxLength: 6 },
    ),
    wholes: fc.array(fc.record({ day: fc.integer({ min: 1, max: 4 }), outstandingCents: cents }), { maxLength: 3 }),
  })
  .map(({ installments, wholes }) => ({
    installments: installments.map(({ day, outstandingCents }, position) => ({
      ...{ id: `s${position}`, dueDate: `2027-01-0${day}`, position, outstandingCents },
    })),
    invoices: [
      ...installments.flatMap(({ day, invoiced }, n) =>
        invoiced === null
          ? []
          : [{ id: `i${n}`, scheduleId: `s${n}`, issueDate: `2027-01-0${day}`, outstandingCents: invoiced }],
      ),
      ...wholes.map(({ day, outstandingCents }, n) => ({
        ...{ id: `w${n}`, scheduleId: null, issueDate: `2027-01-0${day}`, outstandingCents },
      })),
    ],
  }));
type Step = { on: 'spread' | 'installment' | 'invoice'; pick: number; part: number };
const steps = fc.array(
  fc.record<Step>({
    on: fc.constantFrom('spread', 'installment', 'invoice'),
    pick: fc.nat(20),
    part: fc.integer({ min: 1, max: 1_500 }),
  }),
  { minLength: 1, maxLength: 8 },
);

const total = (rows: readonly { amountCents: number }[]) => rows.reduce((sum, { amountCents }) => sum + amountCents, 0);
const outstandingOf = (open: readonly { outstandingCents: number }[]) =>
  open.reduce((sum, { outstandingCents }) => sum + outstandingCents, 0);
const on = (shares: readonly BookingShare[], id: string) =>
  total(shares.filter(({ scheduleId, invoiceId }) => scheduleId === id || invoiceId === id));

/** Applies the allocations, each limited by its target, and checks that each is applied exactly. */
function play(
  { installments, invoices }: { installments: OpenInstallment[]; invoices: OpenInvoice[] },
  taken: readonly Step[],
) {
  const outstanding = new Outstanding(installments, invoices);
  return taken.flatMap(({ on: kind, pick, part }) => {
    if (kind === 'spread') return outstanding.spread(part);
    const open = kind === 'installment' ? installments : invoices;
    const target = open[pick % Math.max(1, open.length)];
    if (!target) return [];
    const amount = Math.min(part, outstanding.of({ [kind === 'installment' ? 'scheduleId' : 'invoiceId']: target.id }));
    const shares =
      kind === 'installment' ? outstanding.onInstallment(target.id, amount) : outstanding.onInvoice(target.id, amount);
    expect(total(shares)).toBe(amount);
    return shares;
  });
}

describe('every booking and every order of payments', () => {
  it('no installment and no invoice ever gets more than its outstanding amount, and no share is empty', () => {
    fc.assert(
      fc.property(bookings, steps, (booking, taken) => {
        const shares = play(booking, taken);
        expect(shares.every(({ amountCents }) => amountCents > 0)).toBe(true);
        expect(shares.every(({ scheduleId, invoiceId }) => scheduleId !== null || invoiceId !== null)).toBe(true);
        for (const { id, outstandingCents } of [...booking.installments, ...booking.invoices]) {
          expect(on(shares, id)).toBeLessThanOrEqual(outstandingCents);
        }
      }),
    );
  });

  it('a payment without allocations takes the smaller of open amount and payment, oldest first', () => {
    fc.assert(
      fc.property(bookings, fc.integer({ min: 1, max: 8_000 }), ({ installments, invoices }, amount) => {
        const shares = new Outstanding(installments, invoices).spread(amount);
        expect(total(shares)).toBe(Math.min(amount, outstandingOf(installments)));
        const inOrder = [...installments].sort((a, b) => a.dueDate.localeCompare(b.dueDate) || a.position - b.position);
        const settled = inOrder.map(({ id, outstandingCents }) => on(shares, id) === outstandingCents);
        const firstOpen = settled.indexOf(false);
        const later = firstOpen === -1 ? [] : inOrder.slice(firstOpen + 1);
        expect(later.map(({ id }) => on(shares, id))).toEqual(later.map(() => 0));
      }),
    );
  });

  it('the result does not depend on the order in which installments and invoices are read', () => {
    fc.assert(
      fc.property(bookings, steps, ({ installments, invoices }, taken) => {
        const spread = taken.filter((step) => step.on === 'spread');
        const reversed = { installments: [...installments].reverse(), invoices: [...invoices].reverse() };
        expect(play(reversed, spread)).toEqual(play({ installments, invoices }, spread));
      }),
    );
  });

  it('a payment of an installment leaves nothing open on its own invoice that it could have paid', () => {
    fc.assert(
      fc.property(bookings, fc.nat(5), fc.nat(1_000), ({ installments, invoices }, pick, part) => {
        const target = installments[pick % Math.max(1, installments.length)];
        fc.pre(target !== undefined);
        const outstanding = new Outstanding(installments, invoices);
        const amount = Math.min(part, target.outstandingCents);
        outstanding.onInstallment(target.id, amount);
        const own = invoices.find(({ scheduleId }) => scheduleId === target.id);
        if (own) expect(outstanding.of({ invoiceId: own.id })).toBe(Math.max(0, own.outstandingCents - amount));
      }),
    );
  });
});
