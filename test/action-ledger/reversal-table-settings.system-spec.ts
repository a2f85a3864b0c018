import { beforeAll, describe, expect, it } from '@jest/globals';
import { newRule, readRule, RULES } from '../notifications/reminders.js';
import { aProduct, assign, ASSIGNMENTS, newPolicy, POLICIES } from '../legal/policies.js';
import { DEPARTURES, newDeparture, read as readDeparture } from '../operations/departures.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import { newTaxCode, TAX_CODES } from '../taxes/tax-codes.js';
import { blocked, itself, reversed } from './reversals.js';

const SYNONYMS = '/v1/admin/catalog/synonyms';

interface Synonym {
  id: string;
  terms: string[];
  version: number;
  createdAt: string;
}

interface Row {
  id: string;
  version: number;
}

let app: TestApp;
let staff: TestClient;
beforeAll(async () => {
  // Jobs are disabled, so that no reminder is planned meanwhile.
  app = await startApp({ env: { JOBS: 'false' } });
  staff = app.as('owner');
});

const read = async (path: string) => (await staff.get<{ data: Row }>(path)).body.data;

/** Changes the resource of the path, reverses the change, and expects the earlier state. */
async function expectRestored(path: string, changes: object, action: string): Promise<void> {
  const before = await read(path);
  expect((await staff.patch(path, changes)).status).toBe(200);
  const changed = await read(path);
  expect(changed).toMatchObject(changes);
  await reversed(app, before.id, action);
  expect(itself(await read(path))).toEqual(itself(before));
}

describe('the reversal of an update', () => {
  it('the reversal of a change of a policy restores name, slug and language, and is blocked if the slug is taken', async () => {
    const { id, slug } = await newPolicy(app);
    const changes = { name: 'Other terms', slug: `other-${id.slice(-8)}`, language: 'de' };
    await expectRestored(`${POLICIES}/${id}`, changes, 'legal.policy.update');

    await staff.patch(`${POLICIES}/${id}`, changes);
    await newPolicy(app, { slug });
    expect(await blocked(app, id, 'legal.policy.update')).toMatchObject({ reason: 'policy_slug_taken' });
  });

  it('the reversal of a change of a policy assignment restores its validity and its priority', async () => {
    const { id } = await newAssignment();
    const changes = { validFrom: '2031-01-01', validTo: '2031-12-31', priority: 7 };
    await expectRestored(`${ASSIGNMENTS}/${id}`, changes, 'legal.policy_assignment.update');
  });

  it('the reversal of a change of a tax code restores name, mention and state', async () => {
    const { id } = await newTaxCode(staff);
    await expectRestored(
      `${TAX_CODES}/${String(id)}`,
      { name: 'Other', mention: 'New', active: false },
      'finance.tax_code.update',
    );
  });

  it('the reversal of the disabling of a reminder rule enables it again and requests its planning', async () => {
    const { id } = await newRule(app);
    await staff.patch(`${RULES}/${id}`, { name: 'Off', enabled: false });
    await reversed(app, id, 'notifications.reminder_rule.update');
    expect(await readRule(app, id)).toMatchObject({ enabled: true, planning: { finishedAt: null } });
  });

  it('the reversal of a change of synonyms restores all members', async () => {
    const { id } = await newSynonym();
    await expectRestored(`${SYNONYMS}/${id}`, { input: 'quay', terms: ['pier', 'wharf'] }, 'catalog.synonym.update');
  });
});

const newAssignment = async () => assign(app, (await newPolicy(app)).id, aProduct());

async function newSynonym(): Promise<Synonym> {
  const answer = await staff.post<{ data: Synonym }>(SYNONYMS, { language: 'en', terms: ['jetty', 'landing'] });
  expect([answer.status, answer.text]).toEqual([201, answer.text]);
  return answer.body.data;
}

describe('the reversal of a creation or a deletion', () => {
  it('the reversal of new synonyms deletes them', async () => {
    const { id } = await newSynonym();
    await reversed(app, id, 'catalog.synonym.create');
    expect((await staff.get(`${SYNONYMS}/${id}`)).status).toBe(404);
  });

  it('the reversal of new synonyms is blocked if they were changed since', async () => {
    const { id } = await newSynonym();
    await staff.patch(`${SYNONYMS}/${id}`, { terms: ['jetty', 'mole'] });
    expect(await blocked(app, id, 'catalog.synonym.create')).toMatchObject({ reason: 'changed_since' });
  });

  it('the reversal of a deletion of synonyms adds them again, under their id', async () => {
    const made = await newSynonym();
    await staff.delete(`${SYNONYMS}/${made.id}`);
    await reversed(app, made.id, 'catalog.synonym.delete');
    expect(await read(`${SYNONYMS}/${made.id}`)).toMatchObject({ terms: made.terms, input: null, language: 'en' });
  });

  it('the reversal of a new policy assignment removes it, and is blocked if it was changed since', async () => {
    const [first, second] = [await newAssignment(), await newAssignment()];
    await reversed(app, first.id, 'legal.policy_assignment.create');
    expect((await staff.get(`${ASSIGNMENTS}/${first.id}`)).status).toBe(404);

    await staff.patch(`${ASSIGNMENTS}/${second.id}`, { priority: 9 });
    expect(await blocked(app, second.id, 'legal.policy_assignment.create')).toMatchObject({ reason: 'changed_since' });
  });

  it('the reversal of the opening of sales closes them again', async () => {
    const { id } = await newDeparture(app);
    await staff.post(`${DEPARTURES}/${id}/sales-closing`);
    await staff.post(`${DEPARTURES}/${id}/sales-opening`);
    await reversed(app, id, 'operations.departure.open_sales');
    expect((await readDeparture(app, id)).salesState).toBe('closed');
  });
});
