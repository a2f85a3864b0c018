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
  'catalog.synonym.create': 'catalog.synonym.delete',
  'catalog.synonym.delete': 'catalog.synonym.create',
  'distribution.allotment.delete': 'distribution.allotment.create',
  'distribution.allotment.reclaim': 'distribution.allotment.release',
  'distribution.allotment.release': 'distribution.allotment.reclaim',
  'distribution.channel.create': 'distribution.channel.update',
  'finance.commission.pay': 'finance.payment.reverse',
  'finance.credit_note.create': 'finance.credit_note.delete',
  'finance.invoice.deliver': 'finance.invoice.update',
  'finance.invoice_number_series.create': 'finance.invoice_number_series.update',
  'finance.payment.record': 'finance.payment.reverse',
  'finance.payment_schedule.waive': 'finance.payment_schedule.update',
  'finance.refund.request': 'finance.refund.fail',
  'finance.supplier_invoice.approve': 'finance.supplier_invoice.reopen',
  'finance.supplier_invoice.create': 'finance.supplier_invoice.void',
  'finance.tax_code.create': 'finance.tax_code.update',
  'finance.transfer.create': 'finance.transfer.reverse',
  'identity.invitation.create': 'identity.invitation.revoke',
  'legal.contract.issue': 'legal.contract.void',
  'legal.contract.send': 'legal.contract.void',
  'legal.contract.withdraw': 'legal.contract.send',
  'legal.policy_assignment.create': 'legal.policy_assignment.remove',
  'legal.policy_assignment.remove': 'legal.policy_assignment.create',
  'notifications.reminder_rule.compose': 'notifications.reminder_rule.update',
  'operations.departure.cancel': 'operations.departure.reinstate',
  'operations.departure.close_sales': 'operations.departure.open_sales',
  'operations.departure.open_sales': 'operations.departure.close_sales',
  'operations.facility.delete': 'operations.facility.create',
  'organization.logo.remove': 'organization.logo.replace',
  'trips.trip.reserve': 'trips.trip.update',
};

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});

it('a caller who may do everything but the effect of a reversal gets 403, for each action that can be reversed', async () => {
  const routes = app.nest.get(Routes, { strict: false });
  const actions = app.nest.get(ReversalHandlers, { strict: false }).actions();
  const effects = actions.map((action) => ({ action, effect: EFFECTS[action] ?? action }));
  const unnamed = effects.filter(({ action, effect }) => action === effect && !/\.(update|replace)$/.test(action));
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
