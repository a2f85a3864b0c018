import { parse } from 'node:querystring';
import { expect } from '@jest/globals';
import type { Type } from '@nestjs/common';
import { validateRequest } from '../../src/platform/http/validation.pipe.js';

/**
 * The issues of a request, as `details.issues` of the error lists them, found by the function that validates every
 * request. A text is a query, any other value a parsed body.
 */
export async function issuesOf(type: Type<object>, sent: unknown): Promise<object[]> {
  const { issues } = await validateRequest(type, typeof sent === 'string' ? parse(sent) : sent);
  return issues;
}

/** The members that have an issue, each once, in alphabetical order. */
export async function invalidMembers(type: Type<object>, sent: unknown): Promise<string[]> {
  const { issues } = await validateRequest(type, typeof sent === 'string' ? parse(sent) : sent);
  return [...new Set(issues.map(({ path }) => path))].sort();
}

/** An issue as a test expects it, whatever its params. */
export function issue(path: string, code: unknown = expect.any(String), message: unknown = expect.any(String)): object {
  return expect.objectContaining({ path, code, message }) as object;
}
