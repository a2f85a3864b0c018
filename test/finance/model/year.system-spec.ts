import { beforeAll, describe, it } from '@jest/globals';
import { Clock } from '../../../src/platform/clock/clock.js';
import { startApp, type TestApp } from '../../setup/app.js';
import { closeMonths } from '../periods/months.js';
import { newTaxCode } from '../../taxes/tax-codes.js';
import { addRate } from './added-rates.js';
import { Books } from './books.js';
import { insertRates } from '../exchange-rates/rates.js';
import { Clerk, FINANCE, type Office, Series } from './clerk.js';
import { payCommission } from './commissions.js';
import { correct, creditAll, creditDue, creditPart, mayOweAtRate, owesCredit } from './credit-notes.js';
import { end } from './ending.js';
import { bill, deliver, issueDraft, releaseDate, voidInvoice } from './invoices.js';
import * as payments from './payments.js';
import * as sales from './sales.js';

const CLERKS = 16;
const BARRIER = 200;
const { MODEL_CLERK, MODEL_SEED = '51', MODEL_OPERATIONS = '1000' } = process.env;
/** The number of clock changes between two barriers, and of days in all: past two year ends. */
const [LEGS, DAYS] = [4, 500];
const START = '2030-10-01T10:00:00Z';
/** Payments are backdated by at most two months; no clerk worked earlier. */
const [LAST_CLOSED_MONTH, FIRST_OPEN_MONTH] = ['2030-07', '2030-08'];
const SEED = Number(MODEL_SEED);
/** The clerks that run; name one to repeat its steps with this seed. */
const RUNNING = MODEL_CLERK === undefined ? Array.from({ length: CLERKS }, (_, index) => index) : [Number(MODEL_CLERK)];

const STEPS: Record<string, [weight: number, step: (clerk: Clerk) => sales.Outcome]> = {
  book: [8, sales.book],
  confirm: [4, sales.confirm],
  addItem: [6, sales.addItem],
  discount: [5, sales.discount],
  changeItem: [10, sales.changeItem],
  recodeItem: [3, sales.recodeItem],
  addRate: [3, addRate],
  cancelItem: [4, sales.cancelItem],
  reinstateItem: [3, sales.reinstateItem],
  moveDeparture: [4, sales.moveDeparture],
  waive: [3, sales.waive],
  unwaive: [3, sales.unwaive],
  bill: [16, bill],
  voidInvoice: [3, voidInvoice],
  creditDue: [6, creditDue],
  creditPart: [4, creditPart],
  correct: [2, correct],
  issueDraft: [4, issueDraft],
  deliver: [2, deliver],
  releaseDate: [2, releaseDate],
  pay: [14, payments.pay],
  payByName: [6, payments.payByName],
  smallDifference: [3, payments.smallDifference],
  payCommission: [2, payCommission],
  reversePayment: [4, payments.reversePayment],
  releaseByHand: [3, payments.releaseByHand],
  applyByHand: [3, payments.applyByHand],
  requestRefund: [4, payments.requestRefund],
  endRefund: [4, payments.endRefund],
  transfer: [4, payments.transfer],
  reverseTransfer: [2, payments.reverseTransfer],
  cancelBooking: [3, payments.cancelBooking],
  reinstate: [2, payments.reinstate],
  settle: [3, payments.settle],
};

let app: TestApp;
let office: Office;

beforeAll(async () => {
  app = await startApp({ env: { JOBS: 'false' } });
  const clock = app.nest.get(Clock);
  await settleDemoBookings();
  app.travel({ ms: Date.parse(START) - clock.now().getTime() });
  const client = app.as('owner');
  const settings = await client.put(`${FINANCE}/settings`, { baseCurrency: 'EUR', toleranceCents: payments.TOLERANCE });
  if (settings.status !== 200) throw new Error(settings.text);
  const taxCodes = await Promise.all([
    newTaxCode(client, {
      code: 'M-STANDARD',
      rates: [
        { rateBasisPoints: 1_900, validFrom: '2007-01-01', validTo: '2030-12-31' },
        { rateBasisPoints: 1_600, validFrom: '2031-01-01', validTo: '2031-12-31' },
        { rateBasisPoints: 1_900, validFrom: '2032-01-01' },
      ],
    }),
    newTaxCode(client, {
      code: 'M-REDUCED',
      kind: 'reduced',
      rates: [{ rateBasisPoints: 700, validFrom: '2007-01-01' }],
    }),
    newTaxCode(client, { code: 'M-ZERO', kind: 'zero', rates: [{ rateBasisPoints: 0, validFrom: '2007-01-01' }] }),
  ]);
  await closePast();
  await insertRates(app, ['JPY', 'KWD'], 600);
  office = { seed: SEED, client, today: () => clock.today(), firstOpenDay: '', taxCodes };
});

/** Open settlements of the demo data would prevent the closing of every month. */
async function settleDemoBookings(): Promise<void> {
  const client = app.as('owner');
  const path = `${FINANCE}/cancellation-settlements?status=open`;
  const { body: open } = await client.get<{ data: { bookingId: string }[] }>(path);
  for (const { bookingId } of open.data) {
    const body = { agreedFeeCents: 0, feeReason: 'Demo data' };
    const settled = await client.post(`${FINANCE}/bookings/${bookingId}/cancellation-settlement`, body);
    if (settled.status !== 200) throw new Error(settled.text);
  }
}

/** Closes the previous month, and with it all earlier ones, as the service would. */
async function closePast(): Promise<void> {
  const path = `${FINANCE}/periods/${LAST_CLOSED_MONTH}`;
  const { body } = await app.as('owner').get<{ data: { figures: Record<string, unknown>[] } }>(path);
  await closeMonths(app, LAST_CLOSED_MONTH);
  for (const { name, currency, cents } of body.data.figures) {
    const figure = [LAST_CLOSED_MONTH, name, currency, cents];
    await app.sql(
      'insert into accounting_period_figures (period, name, currency, cents) values ($1, $2, $3, $4)',
      figure,
    );
  }
}

async function hire(number: number): Promise<Clerk> {
  const of = async (documentType: string, prefix: string) => {
    const body = { name: prefix, prefix, documentType, pattern: '{prefix}{YYYY}-{SEQ:4}', resetPeriod: 'yearly' };
    const path = `${FINANCE}/invoice-number-series`;
    const { status, text, body: answer } = await office.client.post<{ data: { id: string } }>(path, body);
    if (status !== 201) throw new Error(text);
    return new Series(answer.data.id, prefix);
  };
  const series = {
    invoices: await of('invoice', `MI${number}-`),
    creditNotes: await of('credit_note', `MC${number}-`),
  };
  return new Clerk(office, number, series);
}

/** The steps of a clerk in a part of the time between two barriers; all clerks together make 200. */
function stepsOf({ number }: Clerk, leg: number): number {
  const share = Math.floor(BARRIER / CLERKS) + (number < BARRIER % CLERKS ? 1 : 0);
  return Math.floor((share * (leg + 1)) / LEGS) - Math.floor((share * leg) / LEGS);
}

/** Returns the number of days by which the clock moves next. */
function daysAfter(move: number, moves: number): number {
  return Math.round((DAYS * (move + 1)) / moves) - Math.round((DAYS * move) / moves);
}

/** Does this many random steps. A step without anything to do does not count. */
async function work(clerk: Clerk, count: number): Promise<void> {
  const weights = Object.fromEntries(Object.entries(STEPS).map(([name, [weight]]) => [name, weight]));
  for (let done = 0; done < count;) {
    const name = clerk.accounts.length < 2 ? 'book' : clerk.random.weighted(weights);
    const changed = await STEPS[name]?.[1](clerk);
    if (!changed) continue;
    clerk.steps += 1;
    done += 1;
    await clerk.check(changed);
  }
}

/** Removes everything that prevents the closing of a month: unsettled cancellations and credit due. */
async function tidy(clerk: Clerk): Promise<void> {
  for (const account of clerk.accounts) {
    const isUnsettled = payments.isUnsettled(account);
    if (isUnsettled) await payments.settled(clerk, account);
    else if (owesCredit(account) || mayOweAtRate(account)) await creditAll(clerk, account);
    else continue;
    await clerk.check([account]);
  }
}

/** Bills all sales and collects all payments. */
async function endAll(clerk: Clerk): Promise<void> {
  for (const account of clerk.accounts) await end(clerk, account);
}

describe('the books of two years', () => {
  it(`sixteen clerks and the service agree on every booking after each step, and every booking can be brought to its end (seed ${SEED})`, async () => {
    const clerks: Clerk[] = [];
    for (const number of RUNNING) clerks.push(await hire(number));
    const rounds = Math.max(2, Math.ceil(Number(MODEL_OPERATIONS) / BARRIER));
    const books = new Books(office, () => app.now(), FIRST_OPEN_MONTH);
    await books.open();
    for (let round = 0; round < rounds; round += 1) {
      for (let leg = 0; leg < LEGS; leg += 1) {
        const isLast = round === rounds - 1 && leg === LEGS - 1;
        await Promise.all(clerks.map((clerk) => work(clerk, stepsOf(clerk, leg))));
        if (leg === LEGS - 1) {
          await Promise.all(clerks.map((clerk) => tidy(clerk)));
          await books.check(clerks);
        }
        if (!isLast) app.travel({ days: daysAfter(round * LEGS + leg, rounds * LEGS - 1) });
      }
    }
    await Promise.all(clerks.map((clerk) => endAll(clerk)));
    await books.check(clerks);
  }, 3_600_000);
});
