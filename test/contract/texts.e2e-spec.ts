import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../setup/app.js';
import { operationsOf, type Placed, readDocument, type Schema, type ServedDocument } from './served-document.js';

const MAX_SUMMARY = 80;

let app: TestApp;
let document: ServedDocument;
let operations: Placed[];

beforeAll(async () => {
  app = await startApp();
  document = await readDocument(app);
  operations = operationsOf(document);
});

const nameOf = ({ method, path }: Placed) => `${method} ${path}`;

describe('the texts of the API document', () => {
  it('the texts of the API document give every operation a short imperative summary of its own', () => {
    const counts = new Map<string, number>();
    for (const { summary = '' } of operations) counts.set(summary, (counts.get(summary) ?? 0) + 1);
    const poor = operations.filter(({ summary = '' }) => {
      const isImperative = /^[A-Z][a-z]+ /.test(summary) && !/^[A-Z][a-z]*[^s]s /.test(summary);
      return !isImperative || summary.length > MAX_SUMMARY || summary.endsWith('.') || counts.get(summary) !== 1;
    });
    expect(poor.map((operation) => `${nameOf(operation)}: ${operation.summary}`)).toEqual([]);
  });

  it('the texts of the API document give every operation a description beside the scope that it needs', () => {
    const poor = operations.filter(({ description = '' }) => description.replace(/\s*[^.]*\.\s*$/, '') === '');
    expect(poor.map(nameOf)).toEqual([]);
  });

  it('the texts of the API document give every parameter a description that adds something to its name, except path ids', () => {
    const poor = operations.flatMap((operation) =>
      (operation.parameters ?? [])
        .filter((parameter) =>
          parameter.in === 'path' ? !parameter.description : !saysMore(parameter.name, parameter.description),
        )
        .map(({ name }) => `${nameOf(operation)} ${name}`),
    );
    expect(poor).toEqual([]);
  });

  it('the texts of the API document give every schema a description', () => {
    const poor = Object.entries(document.components.schemas).filter(
      // A list of values is described at the properties that use it.
      ([name, schema]) => schema.enum === undefined && !saysMore(name, schema.description),
    );
    expect(poor.map(([name]) => name)).toEqual([]);
  });

  it('the texts of the API document give every property a description that says more than the name', () => {
    const contents = operations.flatMap((operation) =>
      [operation.requestBody, ...Object.values(operation.responses)].flatMap((body) =>
        Object.values(body?.content ?? {}).flatMap(({ schema }): [string, Schema][] =>
          // An error response lists its codes beside a shared schema, which describes `code`.
          schema && !schema.allOf ? [[nameOf(operation), schema]] : [],
        ),
      ),
    );
    const schemas = [...Object.entries(document.components.schemas), ...contents];
    const properties = schemas.flatMap(([name, schema]) => propertiesIn(schema, name));
    const poor = properties.filter(({ name, description }) => !saysMore(name, description));
    expect(properties.length).toBeGreaterThan(1_000);
    expect([...new Set(poor.map(({ place }) => place))]).toEqual([]);
  });

  it('the texts of the API document write ID in capitals', () => {
    const texts = textsIn(document).map((text) => text.replace(/`[^`]*`/g, ''));
    const wrong = texts.filter((text) => /(?<![-\w])(id|Id)s?\b/.test(text));
    expect(texts.length).toBeGreaterThan(1_000);
    expect(wrong).toEqual([]);
  });
});

/** Whether a description contains a word that is not in the name of the property. */
function saysMore(name: string, description = ''): boolean {
  const known = new Set(['a', 'an', 'the', 'of', 'this', 'is', 'in', ...wordsOf(name)]);
  return wordsOf(description).some((word) => !known.has(word));
}

/** `totalCents` -> total, cents. */
function wordsOf(text: string): string[] {
  const spaced = text.replace(/([a-z0-9])([A-Z])/g, '$1 $2').toLowerCase();
  return spaced.split(/[^a-z0-9]+/).filter(Boolean);
}

interface Property {
  name: string;
  place: string;
  description: string | undefined;
}

/** The properties of a schema and of all schemas that are written inside it. */
function propertiesIn(schema: Schema | undefined, place: string): Property[] {
  const { properties = {}, items, allOf = [], oneOf = [], anyOf = [], additionalProperties } = schema ?? {};
  const inner = typeof additionalProperties === 'object' ? [additionalProperties] : [];
  const parts = [...(items ? [items] : []), ...allOf, ...oneOf, ...anyOf, ...inner];
  return [
    ...Object.entries(properties).flatMap(([name, member]) => [
      { name, place: `${place}.${name}`, description: member.description },
      ...propertiesIn(member, `${place}.${name}`),
    ]),
    ...parts.flatMap((part) => propertiesIn(part, place)),
  ];
}

/** All summaries and descriptions. */
function textsIn(node: unknown): string[] {
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node).flatMap(([name, value]) => {
    if (name === 'example') return [];
    return ['summary', 'description'].includes(name) && typeof value === 'string' ? [value] : textsIn(value);
  });
}
