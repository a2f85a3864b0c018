import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../setup/app.js';
import type { TestClient } from '../../setup/client.js';
import { type Invoice, make, PATH, problem } from '../invoices.js';
import { closeMonths } from './months.js';

let app: TestApp;
let owner: TestClient;

beforeAll(async () => {
  app = await startApp({ env: { JOBS: 'false' } });
  owner = app.as('owner');
});

beforeEach(async () => {
  await app.sql('delete from accounting_periods');
});

const approve = async (id: string) => (await owner.post<{ data: Invoice }>(`${PATH}/${id}/approval`)).body.data;

describe('the posting date of a supplier invoice', () => {
  it('a supplier invoice is posted on its issue date when it is approved', async () => {
    const draft = await make(owner, { issueDate: '2025-12-30' });
    expect(draft).toMatchObject({ postingDate: null });
    expect(await approve(draft.id)).toMatchObject({ postingDate: '2025-12-30', issueDate: '2025-12-30' });
    const atOnce = await make(owner, { issueDate: '2025-12-30', status: 'approved' });
    expect(atOnce).toMatchObject({ postingDate: '2025-12-30' });
  });

  it('a supplier invoice of a closed month is posted on the first open day', async () => {
    await closeMonths(app, '2025-12');
    const { id } = await make(owner, { issueDate: '2025-11-30' });
    expect(await approve(id)).toMatchObject({ postingDate: '2026-01-01', issueDate: '2025-11-30' });
  });

  it('a supplier invoice that is posted in a closed month cannot be reopened, but voided from today on', async () => {
    const { id } = await make(owner, { issueDate: '2025-11-30', status: 'approved' });
    await closeMonths(app, '2025-11');
    const { status, body } = await owner.post(`${PATH}/${id}/reopening`, { reason: 'Wrong total' });
    const details = { period: '2025-11', firstOpenDay: '2025-12-01' };
    expect([status, body]).toEqual([409, problem('period_closed', details)]);
    const voided = await owner.post<{ data: Invoice }>(`${PATH}/${id}/voiding`, { reason: 'Wrong total' });
    const today = app.day();
    expect([voided.status, voided.body.data]).toMatchObject([200, { postingDate: '2025-11-30', voidedOn: today }]);
  });

  it('the database rejects a posting into a closed month', async () => {
    const { id } = await make(owner, { issueDate: '2025-11-30' });
    await closeMonths(app, '2025-11');
    const posted = app.sql(
      `update supplier_invoices set status = 'approved', posting_date = issue_date, approved_at = now(), approved_by = 'x'
       where id = $1`,
      [id],
    );
    await expect(posted).rejects.toMatchObject({ constraint: 'period_closed' });
  });
});
