import type { Client as FetchClient } from 'openapi-fetch';
import type { PathsWithMethod } from 'openapi-typescript-helpers';
import { dataOf } from './errors.js';
import type { paths } from './schema.js';

const PAGE = 100;

/** A page of a list by offset or by cursor. */
interface AnyPage {
  data: unknown[];
  total?: number;
  nextCursor?: string | null;
}

/** The operations that return a list. */
export type ListPath = {
  [Path in PathsWithMethod<paths, 'get'>]: BodyOf<Path> extends { data: unknown[] } ? Path : never;
}[PathsWithMethod<paths, 'get'>];
/** The rows of a list. */
export type RowOf<Path extends ListPath> = BodyOf<Path> extends { data: (infer Row)[] } ? Row : never;

type GetOf<Path extends keyof paths> = paths[Path] extends { get: infer Operation } ? Operation : never;
type BodyOf<Path extends keyof paths> =
  GetOf<Path> extends { responses: { 200: { content: { 'application/json': infer Body } } } } ? Body : never;
/** The parameters of a list, without those by which `rows` moves on. */
export type ListParams<Path extends ListPath> =
  GetOf<Path> extends { parameters: infer Parameters }
    ? {
        [Part in keyof Parameters]: Part extends 'query'
          ? Omit<Parameters[Part], 'offset' | 'cursor'>
          : Parameters[Part];
      }
    : Record<string, never>;

/**
 * All rows of a list, read in pages when they are needed. A row that is inserted while they are read may be missing or, in a list by
 * offset, appear twice.
 */
export async function* rowsOf<Path extends ListPath>(
  client: FetchClient<paths>,
  path: Path,
  { params, signal }: { params?: ListParams<Path>; signal?: AbortSignal },
): AsyncGenerator<RowOf<Path>, void, undefined> {
  const given = (params ?? {}) as { query?: Record<string, unknown> };
  const get = client.GET as (
    path: string,
    init: object,
  ) => Promise<{ data?: AnyPage; error?: unknown; response: Response }>;
  let next: Record<string, unknown> = {};
  for (let offset = 0; ;) {
    const query = { limit: PAGE, ...given.query, ...next };
    const page = await dataOf(get(path, { params: { ...given, query }, ...(signal && { signal }) }));
    yield* page.data as RowOf<Path>[];
    offset += page.data.length;
    if (page.nextCursor) next = { cursor: page.nextCursor };
    else if (page.data.length > 0 && page.total !== undefined && offset < page.total) next = { offset };
    else return;
  }
}
