import { beforeAll, describe, expect, it } from '@jest/globals';
import { expectUnauthorized, pathWith, surfaceOf } from '../security/calls.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { Answer, Call } from '../setup/http.js';
import { contents } from '../setup/tables.js';
import {
  codeOf,
  type Comparison,
  deviations,
  headersOf,
  namesOf,
  parameterOf,
  pathOf,
  rejected,
  schemaOf,
} from './deviations.js';
import { type ExampleCall, exampleCalls } from './example-calls.js';
import { operationsOf, readDocument, type Schema, type ServedDocument } from './served-document.js';

/**
 * The rules of all routes, each proved by calling every operation to which it applies according to the API document.
 * The exceptions are listed here, so that an operation which no longer documents a rule fails as well.
 */

const STAFF = '/v1/admin';
const SESSIONS = `${STAFF}/identity/sessions`;
const INVITATIONS = `${STAFF}/identity/invitations`;
const RESETS = `${STAFF}/identity/password-resets`;
const OAUTH = '/connect/v1/oauth';
const CONTRACTS = `${STAFF}/legal/contracts`;
const CLIENT = '/connect/v1/operators/{operatorId}/oauth-clients/{clientId}';

const [LOGO, REMOVAL] = [`PUT ${STAFF}/organization/logo`, `DELETE ${STAFF}/organization/logo`];
const UPLOAD = `PUT ${STAFF}/attachments/{attachmentId}/content`;
const SETUP = `POST ${STAFF}/identity/me/second-factor`;

const OAUTH_CALLS = [`POST ${OAUTH}/token`, `POST ${OAUTH}/introspect`, `POST ${OAUTH}/revoke`];
const LINK_CALLS = [`POST ${INVITATIONS}/acceptance`, `POST ${RESETS}`, `POST ${RESETS}/completion`];
const STOREFRONT = [
  'GET /v1/files/{token}',
  'POST /v1/public/catalog/search',
  'GET /v1/public/legal/contracts/{id}',
  'GET /v1/public/legal/contract-pages/{token}',
  'POST /v1/public/legal/contract-pages/{token}',
  'GET /v1/public/notifications/unsubscriptions/{token}',
  'GET /v1/public/operations/waiting-offers/{token}',
  'POST /v1/public/notifications/bounce-mails',
  'POST /v1/public/notifications/bounce-reports',
  'POST /v1/public/notifications/unsubscriptions/{token}',
  'POST /v1/public/operations/waiting-offers/{token}',
];
/** Their bodies are a mail, and a form of which other fields are ignored. */
const OTHER_BODIES = [
  'POST /v1/public/legal/contract-pages/{token}',
  'POST /v1/public/notifications/bounce-mails',
  'POST /v1/public/notifications/unsubscriptions/{token}',
  'POST /v1/public/operations/waiting-offers/{token}',
];
const PUBLIC = [
  ...STOREFRONT,
  ...OAUTH_CALLS,
  `POST ${SESSIONS}`,
  `POST ${SESSIONS}/second-factor`,
  ...LINK_CALLS,
  'GET /.well-known/oauth-authorization-server/connect/v1',
  'GET /realtime/v1/tickets/{ticket}/events',
];
/** Signing in is limited by itself, a link works once, RFC 6749 has no such header, and a simulation or a link to a file changes nothing. */
const WITHOUT_KEY = [
  ...OAUTH_CALLS,
  ...LINK_CALLS,
  `POST ${SESSIONS}`,
  `POST ${SESSIONS}/second-factor`,
  `POST ${STAFF}/notifications/reminder-rules/{id}/simulations`,
  `POST ${STAFF}/notifications/templates/{id}/preview`,
  `POST ${STAFF}/finance/invoice-renditions/{id}/links`,
  `POST ${STAFF}/operations/departure-schedules/preview`,
  `POST ${STAFF}/operations/departures/{id}/call-offs/preview`,
  `POST ${STAFF}/products/{productId}/quotes`,
];
/** Changes of surfaces whose other changes can be repeated without a key. */
const WITH_KEY = [
  'POST /realtime/v1/channels/{channel}/messages',
  'POST /realtime/v1/tickets',
  'POST /vault/v1/{vaultSlug}/keys',
];
/** The call ends the credential of its caller, which then cannot authenticate a replay. */
const ENDS_ITS_CALLER = `DELETE ${SESSIONS}/current`;
/** Revoked and ended resources have no version, and whoever scans the code of a voucher does not know its version. */
const WITHOUT_VERSION = [
  ENDS_ITS_CALLER,
  `DELETE ${SESSIONS}/others`,
  `DELETE ${SESSIONS}/{id}`,
  `DELETE ${STAFF}/identity/users/{id}/second-factor`,
  `DELETE ${STAFF}/identity/api-tokens/{id}`,
  `DELETE ${CLIENT}`,
  `DELETE ${CLIENT}/secrets/{secretId}`,
  `POST ${STAFF}/operations/redemptions`,
];
/** Operations that create a part of a certain version of a resource, or a new document that replaces it. */
const WITH_VERSION = [`POST ${STAFF}/finance/invoices/{id}/correction`, `POST ${STAFF}/finance/tax-codes/{id}/rates`];
/** Entries of the ledger, messages, transfers and deliveries of webhooks have no version; the page of a booking is made of several resources. */
const WITHOUT_ETAG = [
  `GET ${CLIENT}`,
  'GET /connect/v1/departures/{departureId}',
  'GET /connect/v1/webhooks/deliveries/{deliveryId}',
  `GET ${STAFF}/action-ledger/entries/{id}`,
  `GET ${STAFF}/customers/{customerId}/consents/{consentId}`,
  `GET ${STAFF}/desk/bookings/{bookingId}`,
  `GET ${STAFF}/finance/exchange-rates/{id}`,
  `GET ${STAFF}/finance/transfers/{id}`,
  `GET ${STAFF}/notifications/messages/{id}`,
  `GET ${STAFF}/webhooks/deliveries/{deliveryId}`,
];
/** Responses that contain more than the row of their version: computed statuses, warnings and previews. */
const COMPUTED = [
  `GET ${STAFF}/attachments/{attachmentId}`,
  `GET ${STAFF}/bulk-operations/{id}`,
  `GET ${STAFF}/customers/{customerId}/erasures/{erasureId}`,
  `GET ${STAFF}/bookings/{bookingId}`,
  `GET ${STAFF}/documents/{id}`,
  `GET ${STAFF}/finance/bookings/{bookingId}/cancellation-settlement`,
  `GET ${STAFF}/finance/bookings/{bookingId}/payment-schedules/{scheduleId}`,
  `GET ${STAFF}/finance/credit-notes/{id}`,
  `GET ${STAFF}/finance/invoices/{id}`,
  `GET ${STAFF}/finance/periods/{period}`,
  `GET ${INVITATIONS}/{id}`,
  `GET ${STAFF}/imports/{id}`,
  `GET ${STAFF}/octo/bookings/{id}`,
  `GET ${STAFF}/notes/{noteId}`,
  `GET ${STAFF}/operations/departures/{id}`,
  `GET ${STAFF}/operations/departures/{id}/call-offs/{callOffId}`,
  `GET ${STAFF}/operations/waiting-entries/{entryId}`,
  `GET ${STAFF}/tasks/{taskId}`,
];
/** The ledger has cursors; an item has few commissions and a client few secrets. */
const WITHOUT_OFFSET = [
  `GET ${STAFF}/action-ledger/entries`,
  `GET ${STAFF}/finance/booking-items/{bookingItemId}/commissions`,
  `GET ${CLIENT}/secrets`,
];

/** Lists of the specification; entries of the ledger have cursors, and a timeline names what it withholds. */
const OTHER_ENVELOPE = [
  `GET ${STAFF}/action-ledger/entries`,
  `GET ${STAFF}/customers/{customerId}/timeline`,
  `GET ${STAFF}/finance/booking-items/{bookingItemId}/commissions`,
  `GET ${STAFF}/finance/bookings/{bookingId}/reminder-runs`,
  `GET ${STAFF}/operations/operators`,
];
/** A cursor of the ledger is a position in the order of its entries, so another order has no next page. */
const WITHOUT_SORT = [`GET ${STAFF}/action-ledger/entries`];

const REPORTS = `${STAFF}/finance/reports`;

/** The calendar is by name. The order of these reports is part of their definition: numbers, running balances, a tax return. */
const FIXED_ORDER = [
  `GET ${STAFF}/operations/calendar`,
  `GET ${REPORTS}/customer-statement`,
  `GET ${REPORTS}/invoice-journal`,
  `GET ${REPORTS}/numbering`,
  `GET ${REPORTS}/payment-journal`,
  `GET ${REPORTS}/vat`,
  `GET ${REPORTS}/vat/documents`,
];

/** The days of a screen, and a day of validity. */
const OTHER_TIMES = [
  `GET ${STAFF}/desk/departures from`,
  `GET ${STAFF}/desk/departures to`,
  `GET ${STAFF}/finance/tax-codes on`,
  `GET ${STAFF}/operations/calendar from`,
  `GET ${STAFF}/operations/calendar to`,
];

/** Returned only once: a repeated request does not show them again. */
const SECRETS: Record<string, string | string[]> = {
  [`POST ${STAFF}/identity/api-tokens`]: 'token',
  [`POST ${STAFF}/realtime/subscriptions`]: 'token',
  'POST /connect/v1/realtime/subscriptions': 'token',
  'POST /realtime/v1/tickets': 'ticket',
  'POST /connect/v1/operators/{operatorId}/oauth-clients': 'clientSecret',
  [`POST ${CLIENT}/secrets`]: 'clientSecret',
  [`POST ${STAFF}/webhooks/endpoints`]: 'secret',
  [`POST ${STAFF}/webhooks/endpoints/{endpointId}/secret-rotations`]: 'secret',
  'POST /connect/v1/webhooks/endpoints': 'secret',
  'POST /connect/v1/webhooks/endpoints/{endpointId}/secret-rotations': 'secret',
  [`POST ${STAFF}/bookings/{bookingId}/travelers/{travelerId}/document/reveal`]: [
    'number',
    'healthNote',
    'mobilityNote',
  ],
  [`POST ${STAFF}/bookings/{bookingId}/answers/{answerId}/reveal`]: 'values',
  [SETUP]: 'otpauthUri',
  [`POST ${STAFF}/identity/me/second-factor/activation`]: 'recoveryCodes',
  [`POST ${STAFF}/identity/me/second-factor/recovery-codes`]: 'recoveryCodes',
  [`POST ${CONTRACTS}`]: 'id',
  [`PATCH ${CONTRACTS}/{id}`]: 'id',
  [`POST ${CONTRACTS}/{id}/issuance`]: 'id',
  [`POST ${CONTRACTS}/{id}/dispatch`]: 'id',
  [`POST ${CONTRACTS}/{id}/withdrawal`]: 'id',
  [`POST ${CONTRACTS}/{id}/voiding`]: 'id',
};

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
const UNKNOWN = 'noOperationHasThis';
const OTHER_VERSION = '"999999"';

let app: TestApp;
let document: ServedDocument;
let calls: ExampleCall[];

beforeAll(async () => {
  app = await startApp({ env: { JOBS: 'false' } });
  document = await readDocument(app);
  calls = await exampleCalls(app, operationsOf(document));
}, 60_000);

describe('a call without a valid credential', () => {
  it('a call without a valid credential is 401 with a challenge on every operation that is not public', async () => {
    const guarded = calls.filter(({ operation }) => operation.security?.length !== 0);
    expect(namesOf(calls.filter((call) => !guarded.includes(call)))).toEqual(PUBLIC.toSorted());
    const found = await deviations(guarded, async (call) => {
      const surface = surfaceOf(call.operation);
      expectUnauthorized(await send(call, { token: undefined }), surface, false);
      expectUnauthorized(await send(call, { token: 'malformed' }), surface, true);
      return [];
    });
    expect(found).toEqual([]);
  });
});

describe('another method', () => {
  it('another method is 405 with the methods of the path in Allow', async () => {
    const firstOfPath = calls.filter((call, index) => calls.findIndex((one) => pathOf(one) === pathOf(call)) === index);
    expect(firstOfPath).toHaveLength(Object.keys(document.paths).length);
    const found = await deviations(firstOfPath, async (call) => {
      const methods = methodsAt(call.path.replace(/\?.*$/, ''));
      const allow = [...methods, ...(methods.includes('GET') ? ['HEAD'] : [])].sort().join(', ');
      const seen: Comparison[] = [];
      for (const method of METHODS.filter((one) => !methods.includes(one))) {
        const { status, headers } = await app.request(method, call.path, { token: call.token });
        seen.push([
          [method, status, headers['allow']],
          [method, 405, allow],
        ]);
      }
      return seen;
    });
    expect(found).toEqual([]);
  });
});

describe('a query parameter that the operation does not have', () => {
  it('an unknown query parameter is 400 on every surface except the storefront', async () => {
    const strict = calls.filter(({ name }) => !STOREFRONT.includes(name));
    expect(strict).toHaveLength(calls.length - STOREFRONT.length);
    const found = await deviations(strict, async (call) => [
      rejected(await send(call, {}, { [UNKNOWN]: '1' }), UNKNOWN, 'unknown_member'),
    ]);
    expect(found).toEqual([]);
  });

  it('an unknown query parameter is ignored on the storefront', async () => {
    const storefront = calls.filter(({ name }) => STOREFRONT.includes(name));
    const found = await deviations(storefront, async (call) => [
      [(await send(call, {}, { [UNKNOWN]: '1' })).status, 200],
    ]);
    expect([storefront.length, found]).toEqual([STOREFRONT.length, []]);
  });
});

describe('a body member that the operation does not have', () => {
  it('an unknown body member is 400 and named, except if RFC 6749 ignores unknown members', async () => {
    const closed = calls.filter(({ operation }) => {
      const [media] = Object.values(operation.requestBody?.content ?? {});
      return media !== undefined && resolved(media.schema).additionalProperties === false;
    });
    const open = calls.filter((call) => call.operation.requestBody && !closed.includes(call));
    expect(namesOf(open)).toEqual([...OAUTH_CALLS, LOGO, UPLOAD, ...OTHER_BODIES].toSorted());
    const found = await deviations(closed, async (call) => [
      rejected(await send(call, { body: { ...call.body, [UNKNOWN]: 1 } }), UNKNOWN, 'unknown_member'),
    ]);
    expect(found).toEqual([]);
  });
});

describe('If-Match', () => {
  it('If-Match with another version is 412 and changes nothing', async () => {
    const versioned = calls.filter((call) => parameterOf(call, 'If-Match'));
    const changing = calls.filter(({ name, operation }) => {
      const isChange = ['PUT', 'PATCH', 'DELETE'].includes(operation.method) || 'ETag' in headersOf(operation, '200');
      const hasVersion = WITH_VERSION.includes(name) || (isChange && !WITHOUT_VERSION.includes(name));
      return operation.method !== 'GET' && isTrade(operation.path) && hasVersion;
    });
    expect(namesOf(versioned)).toEqual(namesOf(changing));
    const before = await contents(app);
    const found = await deviations(versioned, async (call) => {
      const { status, body } = await send(call, { headers: { 'If-Match': OTHER_VERSION } });
      return [
        [
          [status, codeOf(body)],
          [412, 'precondition_failed'],
        ],
      ];
    });
    expect(found).toEqual([]);
    expect(await contents(app)).toEqual(before);
  });
});

describe('a list', () => {
  it('a list with limit and offset rejects both out of range and answers at most the limit', async () => {
    const paged = calls.filter((call) => parameterOf(call, 'offset'));
    const lists = calls.filter(({ name, operation }) => {
      const { data } = resolved(schemaOf(operation)).properties ?? {};
      const isList = operation.method === 'GET' && isTrade(operation.path) && resolved(data).type === 'array';
      return isList && !WITHOUT_OFFSET.includes(name);
    });
    expect(namesOf(paged)).toEqual(namesOf(lists));
    const found = await deviations(paged, async (call) => {
      const seen: Comparison[] = [];
      for (const limit of ['0', '201', '-1', 'abc']) seen.push(rejected(await send(call, {}, { limit }), 'limit'));
      for (const offset of ['-1', '100001']) seen.push(rejected(await send(call, {}, { offset }), 'offset'));
      const { status, body } = await send<ListBody>(call, {}, { limit: '1', offset: '0' });
      const echo = resolved(schemaOf(call.operation)).properties?.['limit'] ? [1, 0] : [undefined, undefined];
      return [
        ...seen,
        [
          [status, body.data.length <= 1, body.limit, body.offset],
          [200, true, ...echo],
        ],
      ];
    });
    expect(found).toEqual([]);
  });

  it('a list of the staff surface has one envelope, except where the specification fixes another one or a report adds totals', () => {
    const members = ['data', 'limit', 'offset', 'total'];
    const other = staffLists().filter(({ operation }) => {
      const properties = Object.keys(resolved(schemaOf(operation)).properties ?? {});
      return (
        properties
          .filter((name) => !['totals', 'baseTotals'].includes(name))
          .sort()
          .join() !== members.join()
      );
    });
    expect(namesOf(other)).toEqual(OTHER_ENVELOPE);
  });

  it('a list of the staff surface can be sorted in both directions by each documented field, and by no other', async () => {
    const sorted = staffLists().filter((call) => parameterOf(call, 'sort'));
    const plain = staffLists().filter((call) => !sorted.includes(call));
    expect(namesOf(plain)).toEqual([...WITHOUT_SORT, ...FIXED_ORDER].sort());
    const found = await deviations(sorted, async (call) => {
      const values = (parameterOf(call, 'sort')?.schema.enum ?? []).map(String);
      const seen: Comparison[] = [rejected(await send(call, {}, { sort: 'noFieldHasThis' }), 'sort')];
      for (const value of values.filter((one) => !one.startsWith('-'))) {
        const [up, down] = [await rowsBy(call, value), await rowsBy(call, `-${value}`)];
        seen.push([values.includes(`-${value}`), true], [down.toReversed(), up]);
      }
      return seen;
    });
    expect(found).toEqual([]);
  });

  it('a list of the staff surface names filters by day ...From and ...To, and by time ...After and ...Before', () => {
    const found = staffLists().flatMap((call) => {
      const parameters = (call.operation.parameters ?? []).filter((one) => one.in === 'query' && !one.deprecated);
      const wrong = parameters.filter(({ name, schema }) => {
        const ending = { date: /(From|To)$/, 'date-time': /(After|Before)$/ }[String(schema.format)];
        return ending !== undefined && !ending.test(name);
      });
      return 'totals' in listMembers(call) ? [] : wrong.map(({ name }) => `${call.name} ${name}`);
    });
    expect(found.sort()).toEqual(OTHER_TIMES);
  });

  it('a filter by several values answers the rows of each, and an unknown value, a repeated parameter or too many values are 400', async () => {
    const filters = staffLists().flatMap((call) =>
      (call.operation.parameters ?? [])
        .filter(({ in: place, schema }) => place === 'query' && schema.type === 'array')
        .map(({ name, schema }) => ({ call, name, values: (resolved(schema.items).enum ?? []).map(String) })),
    );
    expect(filters.length).toBeGreaterThan(40);
    const found = await deviations(
      filters.map(({ call, name, values }) => ({ ...call, name: `${call.name} ${name}`, filter: { name, values } })),
      async (call) => {
        const { name, values } = (call as typeof call & { filter: { name: string; values: string[] } }).filter;
        const rowsOf = async (value: string) => {
          const rows: string[] = [];
          for (;;) {
            const page = { limit: '200', offset: String(rows.length) };
            const { status, body } = await send<ListBody>(
              call,
              {},
              {
                [name]: value,
                ...(parameterOf(call, 'offset') && page),
              },
            );
            if (status !== 200) return [`${status} ${value}`];
            rows.push(...body.data.map((row) => JSON.stringify(row)));
            if (rows.length >= (body.total ?? 0)) return rows;
          }
        };
        const single = new Set<string>();
        for (const value of values) for (const row of await rowsOf(value)) single.add(row);
        const [first = ''] = values;
        const tooMany = [...values, first].join(',');
        return [
          [(await rowsOf(values.join(','))).sort(), [...single].sort()],
          rejected(await send(call, {}, { [name]: `${first},${UNKNOWN}` }), name, 'unknown_value'),
          rejected(await send(call, {}, { [name]: `${first},` }), name, 'unknown_value'),
          rejected(await send(call, {}, { [name]: tooMany }), name, 'too_many'),
          rejected(await send(withQuery(call, `${name}=${first}`), {}, { [name]: first }), name, 'wrong_type'),
        ];
      },
    );
    expect(found).toEqual([]);
  });

  it('a filter has the same effect by its former name, whose errors contain that name, and both names are 400', async () => {
    const renamed = calls.filter(({ operation }) => operation.parameters?.some(({ deprecated }) => deprecated));
    expect(renamed.length).toBeGreaterThan(0);
    const found = await deviations(renamed, async (call) => {
      const seen: Comparison[] = [];
      for (const { name: former, description, schema } of call.operation.parameters ?? []) {
        const [, name] = /^Former name of `(\w+)`/.exec(description ?? '') ?? [];
        if (name === undefined) continue;
        for (const year of ['2000', '2026', '2099']) {
          const value = schema.format === 'date' ? `${year}-06-01` : `${year}-06-01T00:00:00Z`;
          const present = await send(call, {}, { [name]: value });
          const byFormer = await send(call, {}, { [former]: value });
          seen.push([present.status, 200], [byFormer.body, present.body]);
          seen.push(rejected(await send(call, {}, { [name]: value, [former]: value }), former, 'unknown_member'));
        }
        seen.push(rejected(await send(call, {}, { [former]: 'x' }), former));
      }
      return seen;
    });
    expect(found).toEqual([]);
  });

  it('a list with only a limit rejects a value beyond its documented range', async () => {
    const limited = calls.filter((call) => parameterOf(call, 'limit') && !parameterOf(call, 'offset'));
    expect(namesOf(limited)).toEqual([
      'GET /data/geo/v1/reference/languages',
      'GET /data/hotels/v1/{source}/reference/languages',
      'GET /realtime/v1/channels/{channel}/messages',
      'GET /v1/admin/action-ledger/entries',
      'GET /v1/admin/search',
    ]);
    const found = await deviations(limited, async (call) => {
      const { minimum = NaN, maximum = NaN } = parameterOf(call, 'limit')?.schema ?? {};
      const seen: Comparison[] = [];
      for (const limit of [String(minimum - 1), String(maximum + 1), '-1', 'abc'])
        seen.push(rejected(await send(call, {}, { limit }), 'limit'));
      return seen;
    });
    expect(found).toEqual([]);
  });
});

describe('If-None-Match', () => {
  it('If-None-Match with the ETag of the answer is 304 without a body, unless a part of it is computed now', async () => {
    const tagged = calls.filter(({ operation }) => '304' in operation.responses);
    const single = calls.filter(({ name, operation }) => {
      const isResource =
        isTrade(operation.path) &&
        /\}$|\/(payment-policy|settings|profile|cancellation-settlement|rooming|agency-terms)$/.test(operation.path);
      const isShared = isResource || operation.path.startsWith('/data/');
      return operation.method === 'GET' && isShared && !WITHOUT_ETAG.includes(name);
    });
    expect([...namesOf(tagged), ...COMPUTED].sort()).toEqual(namesOf(single).sort());
    const found = await deviations(single, async (call) => {
      const { status, headers } = await send(call);
      const isComputed = COMPUTED.includes(call.name);
      const etag = headers['etag'] ?? '';
      const again = await send(call, { headers: { 'If-None-Match': etag } });
      return [
        [
          [status, /^(W\/)?".+"$/.test(etag)],
          [200, true],
        ],
        [
          [again.status, again.text !== '', again.headers['etag']],
          [isComputed ? 200 : 304, isComputed, etag],
        ],
      ];
    });
    expect(found).toEqual([]);
  });
});

/** Runs last, because its calls succeed and change the demo data. */
describe('Idempotency-Key', () => {
  let keyed: ExampleCall[];
  beforeAll(() => {
    keyed = calls.filter((call) => parameterOf(call, 'Idempotency-Key'));
  });

  it('Idempotency-Key is documented by every mutating operation', () => {
    const changing = calls.filter(({ name, operation }) => {
      return (
        WITH_KEY.includes(name) ||
        (operation.method !== 'GET' && isTrade(operation.path) && !WITHOUT_KEY.includes(name))
      );
    });
    expect(namesOf(keyed)).toEqual(namesOf(changing));
  });

  it('a malformed Idempotency-Key is 400', async () => {
    const found = await deviations(keyed, async (call) => {
      const seen: Comparison[] = [];
      for (const key of ['1234567', 'with a space', 'a'.repeat(256)])
        seen.push(rejected(await send(call, withKey(key)), 'Idempotency-Key', 'wrong_format'));
      return seen;
    });
    expect(found).toEqual([]);
  });

  it('an Idempotency-Key replays the first response to the same request, and another request is 422', async () => {
    const repeatable = keyed.filter(({ name }) => name !== ENDS_ITS_CALLER);
    const found = await deviations(repeatable, async (call) => {
      const options = withKey(`rules-${call.operation.operationId}`);
      if (parameterOf(call, 'If-Match')) Object.assign(options.headers, { 'If-Match': await currentTag(call) });
      const first = await send(call, options);
      const again = await send(call, options);
      const other = await anotherRequest(call, options);
      const replayed = [again.status, again.headers['idempotent-replayed'], again.body];
      return [
        [
          [first.status < 300, first.headers['idempotent-replayed']],
          [true, undefined],
        ],
        [replayed, [first.status, 'true', withoutSecret(first.body, SECRETS[call.name])]],
        [
          [other.status, codeOf(other.body)],
          [422, isTrade(pathOf(call)) ? 'idempotency_key_reused' : undefined],
        ],
      ];
    });
    expect(found).toEqual([]);
    // Sends three requests for each of some 150 operations.
  }, 180_000);
});

/** The lists of the staff surface. */
function staffLists(): ExampleCall[] {
  return calls.filter((call) => {
    const { method, path } = call.operation;
    return method === 'GET' && path.startsWith(`${STAFF}/`) && resolved(listMembers(call)['data']).type === 'array';
  });
}

function listMembers({ operation }: ExampleCall): Record<string, Schema> {
  return resolved(schemaOf(operation)).properties ?? {};
}

/** The rows of the first page, which has all rows of the demo data; rows without a value are last in both directions. */
async function rowsBy(call: ExampleCall, sort: string): Promise<unknown[]> {
  const { status, body } = await send<ListBody>(call, {}, { sort, limit: '200' });
  expect([call.name, status]).toEqual([call.name, 200]);
  const field = sort.replace('-', '');
  const rows = body.data as Record<string, unknown>[];
  return rows.filter((row) => row[field] !== null);
}

function withQuery(call: ExampleCall, query: string): ExampleCall {
  return { ...call, path: `${call.path}${call.path.includes('?') ? '&' : '?'}${query}` };
}

interface ListBody {
  data: unknown[];
  total?: number;
  limit?: number;
  offset?: number;
}

function send<Body = unknown>(call: ExampleCall, options: Call = {}, query: Record<string, string> = {}) {
  const parameters = new URLSearchParams(query).toString();
  const path = parameters === '' ? call.path : `${call.path}${call.path.includes('?') ? '&' : '?'}${parameters}`;
  const { body, token } = call;
  return app.request<Body>(call.operation.method, path, { body, token, ...options });
}

/** Calls the same operation with another body or, if it has none, with other ids. */
function anotherRequest(call: ExampleCall, options: Call): Promise<Answer> {
  const { operation, body, token } = call;
  // The size of a file is checked before the key.
  if (Buffer.isBuffer(body))
    return send(call, { ...options, body: Buffer.concat([body.subarray(1), body]).subarray(0, body.length) });
  if ([REMOVAL, 'POST /realtime/v1/tickets'].includes(call.name)) {
    return app.request(operation.method, operation.path, { body: { [UNKNOWN]: 1 }, token, ...options });
  }
  if (operation.requestBody) return send(call, { ...options, body: { ...body, [UNKNOWN]: 1 } });
  // No other route has a path of this length.
  if (call.name === SETUP) {
    return app.post(`${operation.path}/activation`, { code: '000000' }, { token, ...options });
  }
  const path = operation.path.includes('{') ? pathWith(operation) : call.path.replace(/[^/]+$/, 'unknown');
  return app.request(operation.method, path, { token, ...options });
}

function withoutSecret(body: unknown, secrets: string | string[] = []): unknown {
  const names = [secrets].flat();
  return JSON.parse(JSON.stringify(body), (name, value: unknown) => (names.includes(name) ? undefined : value));
}

/** The version in the response to a call for another version. */
async function currentTag(call: ExampleCall): Promise<string> {
  const stale = await send<{ details: { currentVersion: number } }>(call, { headers: { 'If-Match': OTHER_VERSION } });
  return `"${stale.body.details.currentVersion}"`;
}

const withKey = (key: string) => ({ headers: { 'Idempotency-Key': key } });

/** The documented methods of every path that this one matches, such as `/sessions/current` and `/sessions/{id}`. */
function methodsAt(path: string): string[] {
  const matching = calls.filter(({ operation }) =>
    new RegExp(`^${operation.path.replace(/\./g, '\\.').replace(/\{\w+\}/g, '[^/]+')}$`).test(path),
  );
  return [...new Set(matching.map(({ operation }) => operation.method))];
}

function isTrade(path: string): boolean {
  return path.startsWith(`${STAFF}/`) || path.startsWith('/connect/');
}

function resolved(schema: Schema = {}): Schema {
  return document.components.schemas[schema.$ref?.split('/').pop() ?? ''] ?? schema;
}
