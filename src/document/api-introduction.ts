/** The front page of the API document, in Markdown. */
export const apiIntroduction = `
The backend of one travel operator. Its surfaces differ in who calls them, in their credential and in the body of their errors:

| Surface | Paths | Credential | Error body |
|---|---|---|---|
| storefront | \`/v1/public/*\`, \`/v1/files/*\` | none | \`{error, code?, requestId, details?}\` |
| staff | \`/v1/admin/*\` | staff session or staff API token | the same |
| connect | \`/connect/v1/*\` | platform API key or OAuth access token | the same |
| vault, realtime | \`/vault/v1/*\`, \`/realtime/v1/*\` | platform API key; for events also the token of a subscription | \`{error, retryAfterMs?}\` |
| data | \`/data/*\` | platform API key | \`{code, message}\` |
| OCTO, by its standard | \`/octo/*\`, described in \`docs/octo.md\` | platform API key or OAuth access token | \`{error, errorMessage, requestId}\` |

\`/openapi.json?surface=staff\` is the document of one surface.

**Credentials** are sent as \`Authorization: Bearer <token>\`, never in a URL or a body. A staff session comes from
\`POST /v1/admin/identity/sessions\`, a staff API token from \`POST /v1/admin/identity/api-tokens\`, a platform API key from the
operator's administrator (command \`platform keys\`), an OAuth access token from \`POST /connect/v1/oauth/token\`. Staff tokens are
also accepted in the header \`X-Api-Key\`. Each operation names the scope that it requires.

**Errors** have a stable \`code\` and a text that may change. 400 \`invalid_request\` lists every invalid member in
\`details.issues\` as \`{path, message, code, params?}\`; the codes are those of the schema \`IssueCode\`. 401: no valid credential.
403: the scope is missing. 404: unknown, or not visible to the caller. 409: the state of the resource does not permit the
request. 422: well-formed, but a rule is broken; \`details.field\` names the member. 429 and 503 carry \`Retry-After\`. A 500
says only the request ID. Before an operation is known a request may also be answered with 408 (it took too long to arrive), 417
(unsupported Expect) or 431 (headers above 16 KiB).

**Every response** carries \`X-Request-Id\`; a valid one of the request is returned.

**Lists** of the staff surface take \`limit\` (1 to 200), \`offset\` and \`sort\` and answer \`{data, total, limit, offset}\`. Lists with a
\`cursor\` return the cursor of the next page. Filters by a list accept several values, separated by commas
(\`status=draft,confirmed\`). Filters by day are \`<name>From\` and \`<name>To\`, both inclusive; by time \`<name>After\` (inclusive)
and \`<name>Before\`. Former names of a filter stay, marked as deprecated.

**Idempotency.** With \`Idempotency-Key\` (8 to 255 visible ASCII characters) a mutation of the staff and connect surfaces, the
publication of a message and the rotation of a vault's key run once:
within 24 hours a repetition gets the stored answer with \`Idempotent-Replayed: true\`.

**Versions.** A resource has a \`version\`, which is also its \`ETag\`. A change with \`If-Match\` of an older version is rejected with 412.

**Limits.** \`RateLimit\` and \`RateLimit-Policy\` name the requests that are left. A body has at most 1 MiB unless its operation says otherwise.

**Money** is an integer in the minor unit of the \`currency\` beside it (5900 EUR is 59.00 EUR, 5900 JPY is 5900 yen).
**Time**: an instant is RFC 3339 in UTC, a day is \`YYYY-MM-DD\` in the organization's time zone. \`GET /v1/admin/identity/me\`
names that zone, the current day there and the currency of the organization.

**Events** of every change are published to realtime channels after the commit, at least once and in order per channel; read them
with \`GET /realtime/v1/channels/{channel}/messages\` or follow them with \`.../events\`. Staff and clients of operators first
subscribe: \`POST /v1/admin/realtime/subscriptions\` or \`POST /connect/v1/realtime/subscriptions\`, then \`GET /realtime/v1/events\`.
`.trim();
