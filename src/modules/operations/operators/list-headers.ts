import { setResponseHeader } from '../../../platform/http/response-headers.js';
import { pageBounds, type PageQuery } from '../../../platform/http/dto.js';

/** The headers of a list whose body contains only `data`. */
export const pageHeaders = {
  Link: { description: '`rel="next"` while there are more pages', schema: { type: 'string', maxLength: 4000 } },
  'X-Total-Count': {
    description: 'Number of entries that match, on all pages',
    required: true,
    schema: { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
  },
} as const;

const LAST_OFFSET = 100_000;

/** Sets `X-Total-Count`, and `Link` if there is a next page, which keeps the filters. */
export function withPageHeaders<Body>(
  { path, query, total }: { path: string; query: PageQuery; total: number },
  body: Body,
): Body {
  const { limit, offset } = pageBounds(query);
  const next = offset + limit;
  setResponseHeader('X-Total-Count', String(total));
  if (next < total && next <= LAST_OFFSET) {
    const members = Object.entries({ ...query, limit, offset: next }).filter(([, value]) => value !== undefined);
    const parameters = new URLSearchParams(members.map(([name, value]): [string, string] => [name, String(value)]));
    setResponseHeader('Link', `<${path}?${parameters.toString()}>; rel="next"`);
  }
  return body;
}
