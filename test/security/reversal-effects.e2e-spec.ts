import { beforeAll, expect, it } from '@jest/globals';
import { ActionLedger } from '../../src/modules/action-ledger/index.js';
import { ReversalHandlers } from '../../src/modules/action-ledger/entries/reversal-handlers.js';
import { asSystem } from '../../src/platform/context/request-context.js';
import { Database } from '../../src/platform/database/database.js';
import { Routes } from '../../src/platform/http/routes.js';
import { ENTRIES, unique } from '../action-ledger/ledger.js';
import { entryOf, REASON, type ErrorBody } from '../action-ledger/reversals.js';
import { startApp, type TestApp } from '../setup/app.js';
import { tokenWith } from '../setup/staff-token.js';

/** The use case that has the effect of the reversal of an action; an update is reversed by an update, so it is its own. */
const EFFECTS: Record<string, string> = {
  'bookings.booking.cancel': 'bookings.booking.reinstate',
  'bookings.booking.create': 'bookings.booking.cancel',
  'bookings.booking_item.cancel': 'bookings.booking_item.reinstate',
  'bookings.booking_item.create': 'bookings.booking_item.cancel',
  'bookings.voucher.issue': 'bookings.voucher.void',
  'bookings.voucher.reinstate': 'bookings.voucher.void',
  'bookings.voucher.void': 'bookings.voucher.reinstate',
  'catalog.document.delete': 'catalog.document.put',
  'catalog.document.put': 'catalog.document.delete',
  'catalog.synonym.create': 'catalog.synonym.delete',
  'catalog.synonym.delete': 'catalog.synonym.create',
  'customers.customer.archive': 'customers.customer.create',
  'customers.customer.merge': 'customers.customer.update',
  'distribution.allotment.create': 'distribution.allotment.delete',
  'distribution.allotment.delete': 'distribution.allotment.create',
  'distribution.allotment.reclaim': 'distribution.allotment.release',
  'distribution.allotment.release': 'distribution.allotment.reclaim',
  'desk.note.create': 'desk.note.delete',
  'desk.task.create': 'desk.task.update',
  'distribution.channel.create': 'distribution.channel.update',
  'finance.commission.create': 'finance.commission.void',
  'finance.commission.pay': 'finance.payment.reverse',
  'finance.credit_note.create': 'finance.credit_note.delete',
  'finance.invoice.create': 'finance.invoice.delete',
  'finance.invoice.deliver': 'finance.invoice.update',
  'finance.invoice_number_series.create': 'finance.invoice_number_series.update',
  'finance.payment.record': 'finance.payment.reverse',
  'finance.payment_schedule.unwaive': 'finance.payment_schedule.update',
  'finance.payment_schedule.waive': 'finance.payment_schedule.update',
  'finance.period.close': 'finance.period.reopen',
  'finance.refund.request': 'finance.refund.fail',
  'finance.supplier_invoice.approve': 'finance.supplier_invoice.reopen',
  'finance.supplier_invoice.create': 'finance.supplier_invoice.void',
  'finance.supplier_invoice.reopen': 'finance.supplier_invoice.approve',
  'finance.tax_code.create': 'finance.tax_code.update',
  'finance.transfer.create': 'finance.transfer.reverse',
  'identity.api_token.create': 'identity.api_token.revoke',
  'identity.invitation.create': 'identity.invitation.revoke',
  'legal.contract.create': 'legal.contract.void',
  'legal.contract.issue': 'legal.contract.void',
  'legal.contract.send': 'legal.contract.void',
  'legal.contract.withdraw': 'legal.contract.send',
  'legal.policy_assignment.create': 'legal.policy_assignment.remove',
  'legal.policy_assignment.remove': 'legal.policy_assignment.create',
  'notifications.reminder_rule.compose': 'notifications.reminder_rule.update',
  'notifications.suppression.create': 'notifications.suppression.lift',
  'notifications.suppression.lift': 'notifications.suppression.create',
  'notifications.template.create': 'notifications.template.retire',
  'notifications.template.publish': 'notifications.template.retire',
  'notifications.template.retire': 'notifications.template.publish',
  'operations.departure.cancel': 'operations.departure.reinstate',
  'operations.departure.close_sales': 'operations.departure.open_sales',
  'operations.departure.create': 'operations.departure.cancel',
  'operations.departure.open_sales': 'operations.departure.close_sales',
  'operations.departure.reinstate': 'operations.departure.cancel',
  'documents.attachment.create': 'documents.attachment.delete',
  'documents.attachment.delete': 'documents.attachment.create',
  'documents.template.create': 'documents.template.retire',
  'documents.template.publish': 'documents.template.retire',
  'documents.template.retire': 'documents.template.publish',
  'operations.assignment.create': 'operations.assignment.delete',
  'operations.resource.archive': 'operations.resource.update',
  'operations.resource.create': 'operations.resource.archive',
  'operations.voucher.redeem': 'operations.voucher.reopen',
  'operations.waiting_entry.create': 'operations.waiting_entry.withdraw',
  'operations.facility.create': 'operations.facility.delete',
  'operations.facility.delete': 'operations.facility.create',
  'products.extra.create': 'products.extra.delete',
  'products.extra.delete': 'products.extra.create',
  'products.option.create': 'products.option.delete',
  'products.option.delete': 'products.option.create',
  'products.price_list.activate': 'products.price_list.retire',

  'products.price_list.retire': 'products.price_list.activate',
  'products.product.archive': 'products.product.activate',
  'products.question.create': 'products.question.delete',
  'products.question.delete': 'products.question.create',
  'products.unit.create': 'products.unit.delete',
  'products.unit.delete': 'products.unit.create',
  'operations.ground_operator.create': 'operations.ground_operator.update',
  'organization.logo.remove': 'organization.logo.replace',
  'trips.trip.create': 'trips.trip.cancel',
  'trips.trip.reserve': 'trips.trip.update',
  'trips.trip_component.create': 'trips.trip_component.remove',
};

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});

it('a caller who may do everything but the effect of a reversal gets 403, for each action that can be reversed', async () => {
  const routes = app.nest.get(Routes, { strict: false });
  const actions = app.nest.get(ReversalHandlers, { strict: false }).actions();
  const effects = actions.map((action) => ({ action, effect: EFFECTS[action] ?? action }));
  const unnamed = effects.filter(
    ({ action, effect }) => action === effect && !/\.(update|replace|replace_prices)$/.test(action),
  );
  expect(unnamed).toEqual([]);

  const all = [
    ...new Set(effects.flatMap(({ action, effect }) => [action, effect]).flatMap((name) => routes.scopesOf(name))),
  ];
  for (const { action, effect } of effects) {
    const needed = routes.scopesOf(effect);
    expect([effect, needed.length > 0]).toEqual([effect, true]);
    const subjectId = unique('subject').replaceAll(' ', '-');
    await asSystem(() =>
      app.nest.get(Database).transaction(async () => {
        app.nest.get(ActionLedger).record(action, { subjectType: 'test', subjectId, before: {}, after: {} });
      }),
    );
    const { id } = await entryOf(app, subjectId, action);
    const scopes = all.filter((scope) => !needed.includes(scope));
    const caller = app.with(await tokenWith(app, ['action-ledger:reverse', ...scopes]));

    const answer = await caller.post<ErrorBody>(`${ENTRIES}/${id}/reversals`, { reason: REASON });

    const { requiredScope } = answer.body.details ?? {};
    expect([action, answer.status, needed.includes(String(requiredScope))]).toEqual([action, 403, true]);
  }
});

it('each action that a route records can be reversed, or says why not and what to do instead', () => {
  const routes = app.nest.get(Routes, { strict: false });
  const handlers = app.nest.get(ReversalHandlers, { strict: false });
  const reasons = routes
    .actions()
    .filter((action) => handlers.find(action) === null)
    .map((action) => ({ action, reason: routes.irreversibilityOf(action) }));

  expect(handlers.actions().length).toBeGreaterThanOrEqual(75);
  // "Update it again" only says that the reversal has not been written.
  const isReason = (reason: string | null) =>
    reason !== null &&
    /^[A-Z].{10,}[a-z]$/.test(reason) &&
    !/^(Change|Create|Delete|Dismiss|Replace|Update) /.test(reason);
  expect(reasons.filter(({ reason }) => !isReason(reason))).toEqual([]);
});
