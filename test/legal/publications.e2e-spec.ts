import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { insisting } from '../bookings/bookings.js';
import { errorBody } from '../distribution/channels.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import {
  type Answered,
  entriesOf,
  eventsOf,
  newDraft,
  newPolicy,
  pathOf,
  publish,
  published,
  readPolicy,
  readVersion,
  databaseErrorOf,
  retire,
  type Version,
} from './policies.js';

const RULE = { type: 'percentage', daysBeforeDeparture: 30, refundBasisPoints: 5_000, refundType: 'cash' };

let app: TestApp;
let staff: TestClient;
beforeAll(async () => {
  // Jobs are disabled, so that the outbox keeps its events.
  app = await startApp({ env: { JOBS: 'false' } });
  staff = app.as('owner');
});

const command = (place: Version, name: 'publication' | 'retirement') =>
  insisting(() => staff.post<Answered<Version>['body']>(`${pathOf(place)}/${name}`));

describe('the publication of a version', () => {
  it('the publication of a policy version sanitizes the text and freezes it with its digest', async () => {
    const { id } = await newPolicy(app);
    const draft = await newDraft(app, id, { body: '<p onclick="x()">A</p><script>x()</script>', rules: [RULE] });

    const answer = await command(draft, 'publication');

    const { data } = answer.body;
    const { title, body, rules } = data;
    expect([answer.status, body]).toEqual([200, '<p>A</p>']);
    const sha256 = createHash('sha256')
      .update(canonicalize({ title, body, rules }) ?? '')
      .digest('hex');
    const { updatedAt } = data;
    expect(data).toEqual({
      ...draft,
      body,
      status: 'published',
      sha256,
      publishedAt: updatedAt,
      version: 2,
      updatedAt,
    });
    expect(await readVersion(app, draft)).toEqual(data);
    expect(await readPolicy(app, id)).toMatchObject({ currentVersionId: draft.id, version: 2 });
    expect((await entriesOf(app, draft.id)).map(({ action }) => action)).toEqual([
      'legal.policy_version.create',
      'legal.policy_version.publish',
    ]);
    expect(await eventsOf(app, 'versionId', draft.id)).toEqual(['policy.published']);
  });

  it('the publication of a policy version retires the previously published one', async () => {
    const { policy: of, version: first } = await published(app);
    const second = await publish(app, await newDraft(app, of.id));

    const former = await readVersion(app, first);
    const { retiredAt } = former;
    expect(former).toEqual({ ...first, status: 'retired', retiredAt, version: 3, updatedAt: retiredAt });
    expect(await readPolicy(app, of.id)).toMatchObject({ currentVersionId: second.id, version: 3 });
    expect(await eventsOf(app, 'policyId', of.id)).toEqual(['policy.published', 'policy.retired', 'policy.published']);
  });

  it('eight concurrent publications leave one published version, which is the current one', async () => {
    const { id } = await newPolicy(app);
    const drafts = await Promise.all(Array.from({ length: 8 }, () => newDraft(app, id)));

    const answers = await Promise.all(drafts.map((draft) => command(draft, 'publication')));

    expect(answers.map(({ status }) => status)).toEqual(drafts.map(() => 200));
    const after = await Promise.all(drafts.map((draft) => readVersion(app, draft)));
    const current = after.filter(({ status }) => status === 'published');
    expect(after.filter(({ status }) => status === 'retired')).toHaveLength(7);
    expect((await readPolicy(app, id)).currentVersionId).toBe(current[0]?.id);
  });

  it('eight concurrent publications of one draft publish it once', async () => {
    const draft = await newDraft(app, (await newPolicy(app)).id);
    const answers = await Promise.all(Array.from({ length: 8 }, () => command(draft, 'publication')));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(7).fill(409)]);
    expect(await eventsOf(app, 'versionId', draft.id)).toEqual(['policy.published']);
  });

  it('other transitions of a policy version are 409 with the allowed ones', async () => {
    const draft = await newDraft(app, (await newPolicy(app)).id);
    const rejected = async (name: 'publication' | 'retirement', from: string, allowed: string[]) => {
      const to = name === 'publication' ? 'published' : 'retired';
      const answer = await command(draft, name);
      const error = `A policy version cannot go from ${from} to ${to}`;
      const details = { from, to, allowed };
      expect([answer.status, answer.body]).toEqual([
        409,
        errorBody(answer, { code: 'invalid_transition', error, details }),
      ]);
    };
    await rejected('retirement', 'draft', ['published']);
    await publish(app, draft);
    await rejected('publication', 'published', ['retired']);
    await retire(app, draft);
    await rejected('publication', 'retired', []);
    await rejected('retirement', 'retired', []);
  });

  it('a retired policy version never becomes current again', async () => {
    const { policy: of, version: first } = await published(app);
    const answer = await command(first, 'retirement');
    expect([answer.status, answer.body.data.status]).toEqual([200, 'retired']);
    await newDraft(app, of.id);
    expect((await readPolicy(app, of.id)).currentVersionId).toBeNull();
    expect(await eventsOf(app, 'policyId', of.id)).toEqual(['policy.published', 'policy.retired']);
  });
});

describe('the published versions', () => {
  it.each(['published', 'retired'])('a policy version that is %s cannot be changed over HTTP: 409', async (status) => {
    const { version: before } = await published(app);
    if (status === 'retired') await retire(app, before);
    const was = await readVersion(app, before);
    for (const body of [{ title: 'Changed' }, { body: 'Changed' }, { rules: [] }]) {
      const answer = await staff.patch(pathOf(before), body);
      const immutable = { code: 'policy_version_immutable', error: 'Only a draft can be changed', details: { status } };
      expect([answer.status, answer.body]).toEqual([409, errorBody(answer, immutable)]);
    }
    expect(await readVersion(app, before)).toEqual(was);
  });

  it.each([
    `title = 'Other'`,
    `body = body || 'x'`,
    'number = number + 1',
    `sha256 = repeat('0', 64)`,
    `published_at = published_at + interval '1 day'`,
    `status = 'draft', sha256 = null, published_at = null`,
  ])('the database rejects a change of a published version: set %s', async (change) => {
    const { version: before } = await published(app);
    expect(await databaseErrorOf(app, `update policy_versions set ${change} where id = $1`, [before.id])).toBe('23001');
    expect(await readVersion(app, before)).toEqual(before);
  });

  it('the database rejects adding, changing, moving and deleting rules of a published version', async () => {
    const { id } = await newPolicy(app);
    const before = await publish(app, await newDraft(app, id, { rules: [RULE] }));
    const draft = await newDraft(app, id, { rules: [{ ...RULE, position: 5 }] });
    const statements: [string, unknown[]][] = [
      ['update policy_rules set refund_basis_points = 0 where version_id = $1', [before.id]],
      ['delete from policy_rules where version_id = $1', [before.id]],
      [`insert into policy_rules (version_id, position, type) values ($1, 9, 'custom')`, [before.id]],
      ['update policy_rules set version_id = $1 where version_id = $2', [before.id, draft.id]],
      ['update policy_rules set version_id = $2, position = 9 where version_id = $1', [before.id, draft.id]],
      ['delete from policy_versions where id = $1', [before.id]],
      [`update policy_versions set status = 'published' where id = $1 and status = 'retired'`, [before.id]],
      ['truncate policy_rules', []],
      ['truncate policy_versions cascade', []],
    ];
    const rejections = [];
    for (const [text, values] of statements) rejections.push(await databaseErrorOf(app, text, values));
    expect(rejections).toEqual(
      statements.map(([text]) => (text.startsWith('update policy_versions') ? null : '23001')),
    );
    expect(await readVersion(app, before)).toEqual(before);
    expect(await readVersion(app, draft)).toEqual(draft);
  });

  it('the versions table allows one published version per policy', async () => {
    const { policy: of } = await published(app);
    const draft = await newDraft(app, of.id);
    const text = `update policy_versions set status = 'published', sha256 = repeat('0', 64), published_at = now() where id = $1`;
    expect(await databaseErrorOf(app, text, [draft.id])).toBe('policy_versions_published');
  });
});
