import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../setup/app.js';
import { operationsOf, type Placed, readDocument, type Schema, type ServedDocument } from './served-document.js';

const DESCRIBED_SHARE = 0.95;
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
  it('give every operation a short imperative summary of its own', () => {
    const counts = new Map<string, number>();
    for (const { summary = '' } of operations) counts.set(summary, (counts.get(summary) ?? 0) + 1);
    const poor = operations.filter(({ summary = '' }) => {
      const isImperative = /^[A-Z][a-z]+ /.test(summary) && !/^[A-Z][a-z]*[^s]s /.test(summary);
      return !isImperative || summary.length > MAX_SUMMARY || summary.endsWith('.') || counts.get(summary) !== 1;
    });
    expect(poor.map((operation) => `${nameOf(operation)}: ${operation.summary}`)).toEqual([]);
  });

  it('give every operation a description beside the scope that it needs', () => {
    const poor = operations.filter(({ description = '' }) => description.replace(/\s*[^.]*\.\s*$/, '') === '');
    expect(poor.map(nameOf)).toEqual([]);
  });

  it('give every query parameter a description', () => {
    const poor = operations.flatMap((operation) =>
      (operation.parameters ?? [])
        .filter((parameter) => parameter.in === 'query' && !saysMore(parameter.name, parameter.description))
        .map(({ name }) => `${nameOf(operation)} ${name}`),
    );
    expect(poor).toEqual([]);
  });

  it('give every schema a description', () => {
    const poor = [...schemasOf(operations)].filter((name) => {
      const schema = document.components.schemas[name];
      // A list of values says what it is at the properties that have it.
      return schema?.enum === undefined && !saysMore(name, schema?.description);
    });
    expect(poor).toEqual([]);
  });

  it('give at least 95 % of all properties a description that says more than the name', () => {
    const properties = [...schemasOf(operations)].flatMap((name) =>
      Object.entries(document.components.schemas[name]?.properties ?? {}).map(([property, schema]) => ({
        place: `${name}.${property}`,
        isPoor: !saysMore(property, schema.description),
      })),
    );
    const poor = properties.filter(({ isPoor }) => isPoor).map(({ place }) => place);
    expect(properties.length).toBeGreaterThan(100);
    expect(poor.slice(Math.floor(properties.length * (1 - DESCRIBED_SHARE)))).toEqual([]);
  });
});

/** Whether a description has a word that the property's name does not have. */
function saysMore(name: string, description = ''): boolean {
  const known = new Set(['a', 'an', 'the', 'of', 'this', 'is', 'in', ...wordsOf(name)]);
  return wordsOf(description).some((word) => !known.has(word));
}

/** `totalCents` -> total, cents. */
function wordsOf(text: string): string[] {
  const spaced = text.replace(/([a-z0-9])([A-Z])/g, '$1 $2').toLowerCase();
  return spaced.split(/[^a-z0-9]+/).filter(Boolean);
}

/** The schemas of the requests and successful responses of these operations, with all that they contain. */
function schemasOf(operations: readonly Placed[]): Set<string> {
  const names = new Set<string>();
  for (const { requestBody, responses } of operations) {
    const successes = Object.entries(responses).filter(([status]) => status.startsWith('2'));
    const contents = [requestBody?.content, ...successes.map(([, { content }]) => content)];
    for (const content of contents) {
      for (const { schema } of Object.values(content ?? {})) collect(schema, names);
    }
  }
  return names;
}

function collect(schema: Schema | undefined, names: Set<string>): void {
  if (!schema) return;
  const name = schema.$ref?.split('/').pop();
  if (name !== undefined && !names.has(name)) {
    names.add(name);
    collect(document.components.schemas[name], names);
  }
  const { items, allOf = [], oneOf = [], anyOf = [], properties = {} } = schema;
  for (const part of [items, ...allOf, ...oneOf, ...anyOf, ...Object.values(properties)]) collect(part, names);
}
