import type { TestApp } from '../setup/app.js';

export interface Subject {
  type: string;
  id: string;
}

/** One successful call of a route: where to, with what, and what its entry is about. */
export interface Prepared {
  token?: string;
  /** Path parameters by name. */
  parameters?: Record<string, string>;
  body?: object;
  /** The entry's action, where the route declares only its form. */
  action?: string;
  /** The subject, which sometimes only the answer tells; null: the call changes nothing. */
  subject: ((answer: Row) => Subject | Promise<Subject>) | null;
  /** The actions of further entries: of what follows from the change, in its transaction. */
  follows?: string[];
}

export type Recipe = (app: TestApp) => Promise<Prepared>;

/** Whatever an answer holds about the thing, unwrapped. */
export interface Row {
  id: string;
  [member: string]: unknown;
}

export const made = (type: string) => (answer: Row) => ({ type, id: answer.id });
/** Like `on`, where the path names more than the subject. */
export const inside = (type: string, id: string, parameters: Record<string, string>) => ({
  parameters,
  subject: () => ({ type, id }),
});

export const on = (type: string, id: string) => ({ parameters: { id }, subject: () => ({ type, id }) });

export function staff(app: TestApp): { token: string } {
  return { token: app.credentials.staff.token };
}

/** What an answer is about: `{data}` on the staff surface, the thing itself on connect. */
export function unwrapped(body: Row | { data: Row }): Row {
  return 'data' in body ? (body.data as Row) : body;
}

export async function post(app: TestApp, path: string, body?: object): Promise<Row> {
  const answer = await app.as('owner').post<{ data: Row }>(path, body);
  if (answer.status >= 300) throw new Error(`POST ${path} was refused: ${answer.text}`);
  return answer.body.data;
}
