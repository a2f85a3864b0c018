import { isDeepStrictEqual, stripVTControlCharacters } from 'node:util';
import type { Answer } from '../setup/http.js';
import type { ExampleCall } from './example-calls.js';
import type { Parameter, Schema } from './served-document.js';

/** Enough of a response to recognize it. */
const MAX_TEXT = 300;

/** The actual response and the expectation of the rule. */
export type Comparison = [seen: unknown, expected: unknown];

/** Applies the rule to each call; returns one line for each operation that deviates from it. */
export async function deviations(applied: ExampleCall[], rule: (call: ExampleCall) => Promise<Comparison[]>) {
  const found: string[] = [];
  for (const call of applied) {
    try {
      const wrong = (await rule(call)).filter(([seen, expected]) => !isDeepStrictEqual(seen, expected));
      found.push(...wrong.map(([seen, expected]) => `${call.name}: ${textOf(seen)}, not ${textOf(expected)}`));
    } catch (error) {
      found.push(`${call.name}: ${stripVTControlCharacters(String(error))}`);
    }
  }
  return found;
}

function textOf(value: unknown): string {
  return JSON.stringify(value).slice(0, MAX_TEXT);
}

/** Returns whether the response is 400 and names the place; only some surfaces list issues. */
export function rejected({ status, body, text }: Answer, place: string, code?: string): Comparison {
  const { details } = body as { details?: { issues?: { path: string; code: string }[] } };
  if (!details) return [`${status} ${text.includes(place) ? place : text}`, `400 ${place}`];
  // One value may break several rules of its place.
  const issues = new Set(details.issues?.map((issue) => (code ? `${issue.path} ${issue.code}` : issue.path)));
  return [`${status} ${[...issues].join()}`, `400 ${code ? `${place} ${code}` : place}`];
}

export function codeOf(body: unknown): unknown {
  return (body as { code?: unknown }).code;
}

export function namesOf(found: ExampleCall[]): string[] {
  return found.map(({ name }) => name).sort();
}

export function pathOf({ operation }: ExampleCall): string {
  return operation.path;
}

export function parameterOf({ operation }: ExampleCall, name: string): Parameter | undefined {
  return operation.parameters?.find((parameter) => parameter.name === name);
}

export function headersOf({ responses }: ExampleCall['operation'], status: string): Record<string, object> {
  return responses[status]?.headers ?? {};
}

export function schemaOf({ responses }: ExampleCall['operation']): Schema | undefined {
  return responses['200']?.content?.['application/json']?.schema;
}
