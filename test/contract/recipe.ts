import type { TestApp } from '../setup/app.js';

export interface Subject {
  type: string;
  id: string;
}

/** One successful call of a route: its path, its body and the subject of its entry. */
export interface Prepared {
  /** The ID of the acting user, if the request has no credential and the response no session. */
  actorId?: (answer: Row) => string;
  token?: string;
  /** Path parameters by name. */
  parameters?: Record<string, string>;
  body?: object;
  /** The action of the entry, if the route declares only a pattern. */
  action?: string;
  /** The subject, which sometimes only the response shows; null if the call changes nothing. */
  subject: ((answer: Row) => Subject | Promise<Subject>) | null;
  /** The actions of further entries of the same transaction. */
  follows?: string[];
}

export type Recipe = (app: TestApp) => Promise<Prepared>;

/** The resource in a response, without its envelope. */
export interface Row {
  id: string;
  [member: string]: unknown;
}

export const made = (type: string) => (answer: Row) => ({ type, id: answer.id });
/** Like `on`, if the path contains more than the subject. */
export const inside = (type: string, id: string, parameters: Record<string, string>) => ({
  parameters,
  subject: () => ({ type, id }),
});

export const on = (type: string, id: string) => ({ parameters: { id }, subject: () => ({ type, id }) });

export function staff(app: TestApp): { token: string } {
  return { token: app.credentials.staff.token };
}

/** The resource of a response: `{data}` on the staff surface, the resource itself on connect. */
export function unwrapped(body: Row | { data: Row }): Row {
  return 'data' in body ? (body.data as Row) : body;
}

export async function post(app: TestApp, path: string, body?: object): Promise<Row> {
  const answer = await app.as('owner').post<{ data: Row }>(path, body);
  if (answer.status >= 300) throw new Error(`POST ${path} was refused: ${answer.text}`);
  return answer.body.data;
}
