import { beforeAll, describe, expect, it } from '@jest/globals';
import { writeFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { startApp, type TestApp } from '../setup/app.js';
import { Schemas } from '../setup/contract/schemas.js';
import { rowsWith } from '../setup/tables.js';
import { type ExampleCall, exampleCalls, nameOf } from './example-calls.js';
import { operationsOf, type Placed, readDocument, type Schema, type ServedDocument } from './served-document.js';
import { type Json, memberDifferences, stableExample } from './stable-example.js';
import { textExamples } from './text-examples.js';

const RECORDED = 'src/document/api-examples.json';
const JSON_TYPE = /^application\/(\w+\+)?json/;
/** The first lines of a CSV file: its header and one row. */
const LINES = 2;
/** Only the first start shows passwords. */
const COPIED = /Copy (it|them) from|first start printed it/;
/** The day of the example, and resources whose state must differ from the demo data. */
const KNOWN =
  / (sentOn|envelopeId|componentId|bookingId)$|\/payment-schedules\/\{scheduleId\}\/small-difference scheduleId$/;

let app: TestApp;
let document: ServedDocument;
let operations: Placed[];
let demoRows: string;
const rejected: string[] = [];
const headerFaults: string[] = [];
const replaced: ReplacedValue[] = [];
const answers: Record<string, Json> = {};

beforeAll(async () => {
  app = await startApp();
  document = await readDocument(app);
  operations = operationsOf(document);
  demoRows = (await rowsWith(app, '01k0dem0')).join('\n');
  const today = app.day();

  for (const call of await exampleCalls(app, operations)) {
    const { name, operation, path, body, token } = call;
    replaced.push(...replacedValues(call));
    await call.prepare?.();
    const { status, text, headers } = await app.request(operation.method, path, { body, token });
    if (status < 200 || status > 399) rejected.push(`${name} -> ${status} ${text}`);
    const documented = Object.keys(operation.responses[status]?.headers ?? {});
    for (const header of ['ETag', 'Location']) {
      const isSent = header.toLowerCase() in headers;
      if (isSent !== documented.includes(header)) headerFaults.push(`${name} ${status} ${header}`);
    }
    const type = headers['content-type'] ?? '';
    if (isExported(operation)) {
      const file = await app.request('GET', `${path}${path.includes('?') ? '&' : '?'}format=csv`, { token });
      answers[`${name} text/csv`] = stableExample(firstLines(file.text), today);
    }
    if (status > 299 || text === '') continue;
    if (JSON_TYPE.test(type)) answers[name] = stableExample(JSON.parse(text) as Json, today);
    if (type.startsWith('text/html')) answers[`${name} text/html`] = `${text.split('\n', LINES).join('\n')}\n`;
    if (type.startsWith('text/csv')) answers[`${name} text/csv`] = stableExample(firstLines(text), today);
  }
  for (const [name, text] of Object.entries(await textExamples(app))) answers[name] = stableExample(text, today);
  if (process.env.RECORD_EXAMPLES) record();
}, 120_000);

describe('the request examples of the API document', () => {
  it('the request examples of the API document answer 2xx on fresh demo data, each operation once', () => {
    expect(rejected).toEqual([]);
  });
});

describe('a value of a request example that works nowhere', () => {
  it('a value of a request example that works nowhere says where to copy one', () => {
    const silent = replaced.filter(({ place, text }) => !COPIED.test(text) && !KNOWN.test(place));
    expect(silent.map(({ place }) => place)).toEqual([]);
    const places = replaced.map(({ place }) => place);
    expect(places).toEqual(
      expect.arrayContaining(['GET /v1/public/legal/contracts/{id} id', 'GET /v1/files/{token} token']),
    );
  });
});

describe('the ETag and Location headers of the API document', () => {
  it('the ETag and Location headers are sent by exactly the operations that document them', () => {
    expect(headerFaults).toEqual([]);
  });
});

describe('the response examples of the API document', () => {
  it('the API document has a response example for every 2xx response with a body, which matches its schema', () => {
    const schemas = new Schemas({ openapi: '3.0.3', paths: {}, components: { schemas: document.components.schemas } });
    const wrong = successes().flatMap(({ name, schema, example, type }) => {
      if (example === undefined) return [`${name} has none`];
      if (!JSON_TYPE.test(type)) return typeof example === 'string' ? [] : [`${name} is not text`];
      return schemas.faults(schema, example).map((fault) => `${name} ${fault}`);
    });
    expect(wrong).toEqual([]);
  });

  it('the response examples have the members of the current responses', () => {
    const wrong = successes().flatMap(({ name, example }) => {
      const answer = answers[name];
      if (answer === undefined) return [`${name} was not answered`];
      if (typeof answer === 'string') return formOf(answer) === formOf(example) ? [] : [`${name} is ${answer}`];
      return memberDifferences(example ?? null, answer).map((place) => `${name} ${place}`);
    });
    expect(wrong).toEqual([]);
  });

  it('the response examples contain ids of the demo data', () => {
    const ids = successes().flatMap(({ example }) => idsIn(example));
    expect(ids.length).toBeGreaterThan(100);
    expect([...new Set(ids)].filter((id) => !demoRows.includes(id))).toEqual([]);
  });

  it('the response examples contain no secret', () => {
    const texts = JSON.stringify(successes().map(({ example }) => example ?? null));
    const { staff, platformKey } = app.credentials;
    const { contractId } = app.credentials.demo;
    for (const secret of [staff.token, staff.password, platformKey, contractId]) expect(texts).not.toContain(secret);
    const secrets = texts.match(/\b(?:vsk|vss|tpk|oat|ocs)_\w+/g) ?? [];
    expect(secrets.length).toBeGreaterThan(3);
    expect(secrets.filter((secret) => !/^\w{3}(_Example0*)+$/.test(secret))).toEqual([]);
    // No other long random sequence of letters and digits: credentials, ciphertexts, cursors, signatures.
    const runs = texts.match(/[A-Za-z0-9+/]{20,}/g) ?? [];
    const random = runs.filter((run) => /\d/.test(run) && /[a-z]/.test(run) && /[A-Z]/.test(run));
    expect([...new Set(random)].filter((run) => !/^(RXhhbXBsZSB|Example0)/.test(run))).toEqual([]);
  });
});

interface ReplacedValue {
  /** The operation and the parameter or the member. */
  place: string;
  /** The text of the document about it. */
  text: string;
}

/** The parameters of the path and the members of the body that a call cannot take from the document. */
function replacedValues({ name, operation, path, body }: ExampleCall): ReplacedValue[] {
  const [sent, template] = [path.split('?', 1)[0]?.split('/') ?? [], operation.path.split('/')];
  const parameters = (operation.parameters ?? []).filter(({ in: place, name: parameter, example, schema }) => {
    const given = sent[template.indexOf(`{${parameter}}`)];
    return place === 'path' && given !== undefined && decodeURIComponent(given) !== String(example ?? schema.example);
  });
  const [media] = Object.values(operation.requestBody?.content ?? {});
  const example = (media?.example ?? {}) as Record<string, unknown>;
  const properties = propertiesOf(media?.schema);
  const members = Object.entries(Buffer.isBuffer(body) ? {} : (body ?? {})).filter(
    ([member, value]) => value !== undefined && !isDeepStrictEqual(value, example[member]),
  );
  return [
    ...parameters.map((one) => ({ place: `${name} ${one.name}`, text: one.description ?? '' })),
    ...members.map(([member]) => ({
      place: `${name} ${member}`,
      text: `${properties[member]?.description ?? ''} ${String(properties[member]?.example)} ${String(example[member])}`,
    })),
  ];
}

function propertiesOf(schema: Schema = {}): Record<string, Schema> {
  return (document.components.schemas[schema.$ref?.split('/').pop() ?? ''] ?? schema).properties ?? {};
}

interface Success {
  name: string;
  type: string;
  schema: unknown;
  example: Json | undefined;
}

/** Every documented 2xx response with a body. */
function successes(): Success[] {
  return operations.flatMap((operation) =>
    Object.entries(operation.responses).flatMap(([status, { content = {} }]) =>
      Object.entries(content).flatMap(([type, media]) => {
        // JSON cannot represent an image.
        if (!status.startsWith('2') || type.startsWith('image/')) return [];
        const { schema, example } = media as { schema?: unknown; example?: Json };
        const name = JSON_TYPE.test(type) ? nameOf(operation) : `${nameOf(operation)} ${type}`;
        return [{ name, type, schema, example }];
      }),
    ),
  );
}

/** The ids of demo rows. Escaped line breaks of CSV files end in letters. */
function idsIn(example: Json | undefined): string[] {
  const text = JSON.stringify(example ?? '').replace(/\\[rn]/g, ' ');
  return text.match(/\w+_01k0dem0\w+/g) ?? [];
}

function record(): void {
  const names = new Set(successes().map(({ name }) => name));
  const inOrder = [...names].flatMap((name) => {
    const answer = answers[name];
    return answer === undefined ? [] : [[name, answer] as const];
  });
  const lines = inOrder.map(([name, answer]) => `${JSON.stringify(name)}: ${JSON.stringify(answer)}`);
  writeFileSync(RECORDED, `{\n${lines.join(',\n')}\n}\n`);
}

/**
 * Returns the part of a text that does not depend on the database: the header of a table, or an event stream without its data.
 */
function formOf(text: Json | undefined): string {
  if (typeof text !== 'string') return '';
  return text.includes('\r\n') ? (text.split('\r\n', 1)[0] ?? '') : text.replace(/^(id|data): .*$/gm, '$1');
}

/** Whether the operation is a list that can also be read as CSV. */
function isExported({ method, parameters = [], responses }: Placed): boolean {
  const isList = parameters.some((parameter) => 'name' in parameter && parameter.name === 'columns');
  return method === 'GET' && isList && responses['200']?.content?.['text/csv'] !== undefined;
}

function firstLines(text: string): string {
  return text.split('\r\n').slice(0, LINES).join('\r\n');
}
