import { randomUUID } from 'node:crypto';
import { insisting } from '../bookings/bookings.js';
import type { TestApp } from '../setup/app.js';
import type { Answer } from '../setup/http.js';

export const POLICIES = '/v1/admin/legal/policies';
export const ASSIGNMENTS = `${POLICIES}/assignments`;

export interface Policy {
  id: string;
  kind: string;
  name: string;
  slug: string;
  language: string;
  currentVersionId: string | null;
  version: number;
  createdAt: string;
  updatedAt: string;
}

export interface Version {
  id: string;
  policyId: string;
  number: number;
  title: string;
  body: string;
  rules: object[];
  status: string;
  sha256: string | null;
  publishedAt: string | null;
  retiredAt: string | null;
  version: number;
  createdAt: string;
  updatedAt: string;
}

export interface Assignment {
  id: string;
  policyId: string;
  kind: string;
  scope: string;
  targetId: string | null;
  validFrom: string | null;
  validTo: string | null;
  priority: number;
  locked: boolean;
  removedAt: string | null;
  removedBy: string | null;
  version: number;
  createdAt: string;
  updatedAt: string;
}

export interface Explained {
  assignmentId: string;
  outcome: string;
  [member: string]: unknown;
}

export interface Resolved {
  data: { policy: Policy; version: Version; assignment: Assignment; explain: Explained[] } | null;
  explain: Explained[];
}

/** The request is either rejected or not. */
export type Answered<Thing> = Answer<{ data: Thing; error: string; code: string; requestId: string }>;

/** Creates a policy with a unique name; `terms` contain the members that matter to the test. */
export const policy = (terms: object = {}) => ({ kind: 'cancellation', name: `Policy ${randomUUID()}`, ...terms });
export const version = (terms: object = {}) => ({ title: 'Terms', body: '<p>In writing.</p>', ...terms });

/** An assignment that cannot overlap with any other. */
export const aProduct = () => ({ scope: 'product', targetId: `product-${randomUUID()}` });

/** Repeats the call, because a busy machine may respond with 503. */
async function make<Thing>(app: TestApp, path: string, body?: object): Promise<Thing> {
  const answer = await insisting(() => app.as('owner').post<{ data: Thing }>(path, body));
  if (answer.status > 201) throw new Error(`${path} was rejected: ${answer.text}`);
  return answer.body.data;
}

export const newPolicy = (app: TestApp, terms: object = {}) => make<Policy>(app, POLICIES, policy(terms));

export const newDraft = (app: TestApp, policyId: string, terms: object = {}) =>
  make<Version>(app, `${POLICIES}/${policyId}/versions`, version(terms));

export const pathOf = ({ policyId, id }: Pick<Version, 'policyId' | 'id'>) => `${POLICIES}/${policyId}/versions/${id}`;

export const publish = (app: TestApp, draft: Version) => make<Version>(app, `${pathOf(draft)}/publication`);
export const retire = (app: TestApp, published: Version) => make<Version>(app, `${pathOf(published)}/retirement`);

/** A policy with a published version. */
export async function published(app: TestApp, terms: object = {}): Promise<{ policy: Policy; version: Version }> {
  const { id } = await newPolicy(app, terms);
  const made = await publish(app, await newDraft(app, id));
  return { policy: await readPolicy(app, id), version: made };
}

export const assign = (app: TestApp, policyId: string, terms: object) =>
  make<Assignment>(app, ASSIGNMENTS, { policyId, ...terms });

/** A policy with a published version, and its assignment. */
export async function assigned(app: TestApp, kind: string, terms: object) {
  const { policy: made, version: text } = await published(app, { kind });
  return { policy: made, version: text, assignment: await assign(app, made.id, terms) };
}

async function read<Thing>(app: TestApp, path: string): Promise<Thing> {
  return (await app.as('owner').get<{ data: Thing }>(path)).body.data;
}

export const readPolicy = (app: TestApp, id: string) => read<Policy>(app, `${POLICIES}/${id}`);
export const readVersion = (app: TestApp, place: Pick<Version, 'policyId' | 'id'>) => read<Version>(app, pathOf(place));
export const readAssignment = (app: TestApp, id: string) => read<Assignment>(app, `${ASSIGNMENTS}/${id}`);

export async function resolve(app: TestApp, criteria: Record<string, string>): Promise<Resolved> {
  const answer = await app.as('owner').get<Resolved>(`${POLICIES}/resolve?${new URLSearchParams(criteria).toString()}`);
  if (answer.status !== 200) throw new Error(`It was rejected: ${answer.text}`);
  return answer.body;
}

/** The names of the waiting events of a subject, in their order. */
export async function eventsOf(app: TestApp, member: string, id: string): Promise<string[]> {
  const rows = await app.sql<{ event: string }>(
    `select event from outbox_events where channel = 'legal.policies' and data->>$1 = $2 order by sequence`,
    [member, id],
  );
  return rows.map(({ event }) => event);
}

/** The ledger entries of a subject, in their order. */
export async function entriesOf(app: TestApp, subjectId: string): Promise<{ action: string; actorId: string }[]> {
  return app.sql(
    `select action, actor_id as "actorId" from action_ledger_entries where subject_id = $1 order by sequence`,
    [subjectId],
  );
}

/** The constraint or the code by which the database rejects a statement, or null. */
export function databaseErrorOf(app: TestApp, text: string, values: unknown[]): Promise<string | null> {
  return app.sql(text, values).then(
    () => null,
    (error: { code: string; constraint?: string }) => error.constraint ?? error.code,
  );
}
