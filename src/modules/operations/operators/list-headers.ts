import { setResponseHeader } from '../../../platform/http/response-headers.js';
import { pageBounds, type PageQuery } from '../../../platform/http/dto.js';

/** What a list says of itself where its body has no room for it. */
export const pageHeaders = {
  Link: { description: '`rel="next"` while there are more pages', schema: { type: 'string', maxLength: 4000 } },
  'X-Total-Count': {
    description: 'Number of entries that match, on all pages',
    required: true,
    schema: { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
  },
} as const;

const LAST_OFFSET = 100_000;

/** Gives the answer its `X-Total-Count`, and its `Link` while there are more; the next page keeps the filters. */
export function tellPage<Body>(
  { path, query, total }: { path: string; query: PageQuery; total: number },
  body: Body,
): Body {
  const { limit, offset } = pageBounds(query);
  const next = offset + limit;
  setResponseHeader('X-Total-Count', String(total));
  if (next < total && next <= LAST_OFFSET) {
    const asked = Object.entries({ ...query, limit, offset: next }).filter(([, value]) => value !== undefined);
    const parameters = new URLSearchParams(asked.map(([name, value]): [string, string] => [name, String(value)]));
    setResponseHeader('Link', `<${path}?${parameters.toString()}>; rel="next"`);
  }
  return body;
}
