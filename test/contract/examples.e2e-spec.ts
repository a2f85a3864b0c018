import { beforeAll, describe, expect, it } from '@jest/globals';
import { writeFileSync } from 'node:fs';
import { startApp, type TestApp } from '../setup/app.js';
import { Schemas } from '../setup/contract/schemas.js';
import { rowsWith } from '../setup/tables.js';
import { operationsOf, type Placed, readDocument, type ServedDocument } from './served-document.js';
import { type Json, memberDifferences, stableExample } from './stable-example.js';

/** Reads come first, what removes comes last, so that no example takes away what another one shows. */
const ORDER = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
const RECORDED = 'src/api-examples.json';
const EXEMPLIFIED = /^(application\/(?:\w+\+)?json|text\/csv)/;
/** The first lines of a CSV file: its header and one row. */
const LINES = 2;

let app: TestApp;
let document: ServedDocument;
let operations: Placed[];
let demoRows: string;
const refused: string[] = [];
const answers: Record<string, Json> = {};

beforeAll(async () => {
  app = await startApp();
  document = await readDocument(app);
  operations = operationsOf(document);
  demoRows = (await rowsWith(app, '01k0dem0')).join('\n');
  const [secrets, paths] = [await secretParts(), await secretPaths()];
  const today = app.now().toISOString().slice(0, 10);

  const inOrder = operations.toSorted((a, b) => ORDER.indexOf(a.method) - ORDER.indexOf(b.method));
  for (const operation of inOrder) {
    const name = nameOf(operation);
    const [media] = Object.values(operation.requestBody?.content ?? {});
    const example = media?.example as object | undefined;
    const body = example === undefined ? undefined : { ...example, ...secrets[name] };
    const { status, text, headers } = await app.request(operation.method, paths[name] ?? pathOf(operation), {
      body,
      token: tokenFor(operation),
    });
    if (status < 200 || status > 399) refused.push(`${name} -> ${status} ${text}`);
    const type = headers['content-type'] ?? '';
    if (status > 299 || text === '' || !EXEMPLIFIED.test(type)) continue;
    const shown = type.startsWith('text/') ? firstLines(text) : (JSON.parse(text) as Json);
    answers[name] = stableExample(shown, today);
  }
  if (process.env.RECORD_EXAMPLES) record();
}, 120_000);

/** Examples that no document can hold, because a part of them is random and secret; the rest of them is replayed. */
async function secretParts(): Promise<Record<string, object>> {
  const { staff, platformKey, operatorId, vaultSlug } = app.credentials;
  const platform = app.with(platformKey);
  const { body: vault } = await platform.post<{ data: { ciphertext: string } }>(`/vault/v1/${vaultSlug}/encrypt`, {
    plaintext: 'P1234567',
  });
  const { body: client } = await platform.post<{ clientId: string; clientSecret: string }>(
    `/connect/v1/operators/${operatorId}/oauth-clients`,
    { scopes: ['connect:bookings:read'] },
  );
  return {
    'POST /v1/admin/identity/sessions': { email: staff.email, password: staff.password },
    'POST /vault/v1/{vaultSlug}/decrypt': { ciphertext: vault.data.ciphertext },
    'POST /vault/v1/{vaultSlug}/rewrap': { ciphertext: vault.data.ciphertext },
    'POST /connect/v1/oauth/token': { client_id: client.clientId, client_secret: client.clientSecret },
  };
}

/** Paths that no document can hold: a link is signed, and for a few minutes. */
async function secretPaths(): Promise<Record<string, string>> {
  const rendition = '/v1/admin/finance/invoice-renditions/rend_01k0dem000e000000000000001/download';
  const { headers } = await app.as('owner').get(rendition);
  return { 'GET /v1/files/{token}': headers['location'] ?? '' };
}

describe('the request examples of the API document', () => {
  it('answer 2xx on fresh demo data, each operation once', () => {
    expect(refused).toEqual([]);
  });
});

describe('the response examples of the API document', () => {
  it('are there for every 2xx response with JSON or CSV, and fit its schema', () => {
    const schemas = new Schemas({ openapi: '3.0.3', paths: {}, components: { schemas: document.components.schemas } });
    const wrong = successes().flatMap(({ name, schema, example, type }) => {
      if (example === undefined) return [`${name} has none`];
      return type.startsWith('text/') ? [] : schemas.faults(schema, example).map((fault) => `${name} ${fault}`);
    });
    expect(wrong).toEqual([]);
  });

  it('have the members that the service answers now', () => {
    const wrong = successes().flatMap(({ name, example }) => {
      const answer = answers[name];
      if (answer === undefined) return [`${name} was not answered`];
      return memberDifferences(example ?? null, answer).map((place) => `${name} ${place}`);
    });
    expect(wrong).toEqual([]);
  });

  it('name rows that the demo data has', () => {
    const ids = successes().flatMap(({ example }) => JSON.stringify(example ?? '').match(/\w+_01k0dem0\w+/g) ?? []);
    expect(ids.length).toBeGreaterThan(100);
    expect([...new Set(ids)].filter((id) => !demoRows.includes(id))).toEqual([]);
  });

  it('hold no secret', () => {
    const texts = JSON.stringify(successes().map(({ example }) => example ?? null));
    const { staff, platformKey } = app.credentials;
    for (const secret of [staff.token, staff.password, platformKey]) expect(texts).not.toContain(secret);
    const secrets = texts.match(/\b(?:vsk|vss|tpk|oat|ocs)_\w+/g) ?? [];
    expect(secrets.length).toBeGreaterThan(3);
    expect(secrets.filter((secret) => !/^\w{3}(_Example0*)+$/.test(secret))).toEqual([]);
    // No other long run of letters and digits that looks random: credentials, ciphertexts, cursors, signatures.
    const runs = texts.match(/[A-Za-z0-9+/]{20,}/g) ?? [];
    const random = runs.filter((run) => /\d/.test(run) && /[a-z]/.test(run) && /[A-Z]/.test(run));
    expect([...new Set(random)].filter((run) => !/^(RXhhbXBsZSB|Example0)/.test(run))).toEqual([]);
  });
});

interface Success {
  name: string;
  type: string;
  schema: unknown;
  example: Json | undefined;
}

/** Every documented 2xx response of a kind that has an example. */
function successes(): Success[] {
  return operations.flatMap((operation) =>
    Object.entries(operation.responses).flatMap(([status, { content = {} }]) =>
      Object.entries(content).flatMap(([type, media]) => {
        if (!status.startsWith('2') || !EXEMPLIFIED.test(type)) return [];
        const { schema, example } = media as { schema?: unknown; example?: Json };
        return [{ name: nameOf(operation), type, schema, example }];
      }),
    ),
  );
}

function record(): void {
  const inOrder = operations.flatMap((operation) => {
    const answer = answers[nameOf(operation)];
    return answer === undefined ? [] : [[nameOf(operation), answer] as const];
  });
  const lines = inOrder.map(([name, answer]) => `${JSON.stringify(name)}: ${JSON.stringify(answer)}`);
  writeFileSync(RECORDED, `{\n${lines.join(',\n')}\n}\n`);
}

function firstLines(text: string): string {
  return text.split('\r\n').slice(0, LINES).join('\r\n');
}

function nameOf({ method, path }: Placed): string {
  return `${method} ${path}`;
}

/** With what of its query must be given. */
function pathOf({ path, parameters = [] }: Placed): string {
  const examples = new Map(parameters.map(({ name, example, schema }) => [name, String(example ?? schema.example)]));
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(examples.get(name) ?? name));
  const needed = parameters.filter((found) => found.in === 'query' && found.required === true);
  const query = new URLSearchParams(needed.map(({ name }): [string, string] => [name, examples.get(name) ?? '']));
  return needed.length === 0 ? filled : `${filled}?${query.toString()}`;
}

function tokenFor({ path, security }: Placed): string | undefined {
  if (security?.length === 0) return undefined;
  return path.startsWith('/v1/admin/') ? app.credentials.staff.token : app.credentials.platformKey;
}
