import type { Parameter, Placed } from '../../contract/served-document.js';
import { draftOf } from '../../fuzz/draft.js';
import { exampleParameters } from '../../fuzz/example.js';
import type { RequestCase } from './cost-meter.js';
import { GROWING, filled, nearMisses } from './texts.js';

/** The maximum size of a request's target: the whole head of a request has 16 KiB. */
const MOST_BYTES = 15_000;

type Query = [name: string, value: string][];

/** The requests of one operation whose path or query is hostile. */
export function addressCases(operation: Placed): RequestCase[] {
  return [...queryCases(operation), ...pathCases(operation)];
}

function queryCases(operation: Placed): RequestCase[] {
  const declared = (operation.parameters ?? []).filter((parameter) => parameter.in === 'query');
  const shape = (name: string, query: Query): RequestCase => caseOf(operation, `query: ${name}`, query);
  const [first = 'limit'] = declared.map(({ name }) => name);
  return [
    shape(
      '1,000 times one parameter',
      Array.from({ length: 1_000 }, () => [first, '1']),
    ),
    shape(
      '1,000 parameters',
      Array.from({ length: 1_000 }, (_, index) => [`n${index}`, '1']),
    ),
    shape('an unknown parameter', [['unknown', 'x'.repeat(MOST_BYTES)]]),
    shape('plus signs and brackets', [[`${'['.repeat(MOST_BYTES / 2)}`, '+'.repeat(MOST_BYTES / 2)]]),
    shape('broken encoding', [['unknown', '%'.repeat(MOST_BYTES)]]),
    ...declared.flatMap((parameter) =>
      parameterValues(parameter).map(([name, value]) => shape(`${parameter.name}: ${name}`, [[parameter.name, value]])),
    ),
    ...(declared.length < 2 ? [] : allParameters(declared).map(({ name, query }) => shape(name, query))),
  ];
}

function parameterValues({ name, schema }: Parameter): [name: string, value: string][] {
  if (/cursor|sinceId/i.test(name)) {
    return [
      ['letters', 'A'.repeat(MOST_BYTES)],
      ['two parts', `${'e'.repeat(MOST_BYTES - 30)}.${'A'.repeat(22)}`],
      ['dots', '.'.repeat(MOST_BYTES)],
    ];
  }
  if (schema.type === 'integer' || schema.type === 'number') return [['digits', '9'.repeat(MOST_BYTES)]];
  const [nearest = filled('\ufdfa', MOST_BYTES / 3)] = nearMisses(schema, MOST_BYTES / 3);
  return [['a long text', encodeURIComponent(nearest).slice(0, MOST_BYTES)]];
}

function allParameters(declared: Parameter[]): { name: string; query: Query }[] {
  const share = Math.floor(MOST_BYTES / declared.length) - 40;
  const texts = Object.entries(GROWING)
    .slice(0, 3)
    .map(([name, unit]) => ({
      name: `all of ${name}`,
      query: declared.map((parameter): [string, string] => [
        parameter.name,
        encodeURIComponent([...filled(unit, share / 3)].slice(0, parameter.schema.maxLength ?? 200).join('')),
      ]),
    }));
  const numbers = declared.filter(({ schema }) => schema.type === 'integer');
  const largest = numbers.map(({ name, schema }): [string, string] => [name, String(schema.maximum ?? 100_000)]);
  return [...texts, ...(largest.length === 0 ? [] : [{ name: 'numbers at their maximum', query: largest }])];
}

/** Each parameter of the path, as long as it can be. */
function pathCases(operation: Placed): RequestCase[] {
  const example = exampleParameters(operation);
  const inPath = (operation.parameters ?? []).filter((parameter) => parameter.in === 'path');
  return inPath.flatMap(({ name, schema }) => {
    const prefix = (example[name] ?? '').slice(0, 5);
    const [nearest = 'a'] = nearMisses(schema, MOST_BYTES / 3);
    const values: [string, string][] = [
      ['letters', `${prefix}${'0'.repeat(MOST_BYTES)}`],
      ['U+FDFA', encodeURIComponent(filled('\ufdfa', MOST_BYTES / 3))],
      ['near miss', encodeURIComponent(nearest).slice(0, MOST_BYTES)],
    ];
    return values.map(([shape, value]): RequestCase => ({
      operation: operation.operationId,
      shape: `path: ${name} of ${shape}`,
      draft: () => draftOf(operation, { ...example, [name]: value }, undefined),
    }));
  });
}

function caseOf(operation: Placed, shape: string, query: Query): RequestCase {
  return {
    operation: operation.operationId,
    shape,
    draft: () => {
      const draft = draftOf(operation, exampleParameters(operation), undefined);
      draft.query.push(...query);
      return draft;
    },
  };
}
