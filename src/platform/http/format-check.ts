import type { Type } from '@nestjs/common';
import { getMetadataStorage } from 'class-validator';
import { invalidRequest } from '../errors/app-error.js';
import { RequestPipe, validateQuery, validateRequest } from './validation.pipe.js';

const pipe = new RequestPipe();

/**
 * Returns the members of the value that this class has, validated like a request body. The rules may have changed since the
 * JSON was stored. Other members are omitted.
 */
export async function checkedAs<T extends object>(type: Type<T>, value: object | null): Promise<T> {
  const known = getMetadataStorage().getTargetValidationMetadatas(type, '', false, false);
  const names = new Set(known.map(({ propertyName }) => propertyName));
  const members = Object.entries(value ?? {}).filter(([name]) => names.has(name));
  return (await pipe.transform(Object.fromEntries(members), { type: 'body', metatype: type })) as T;
}

/**
 * Returns a member of a request whose class depends on another member. It is validated like a body or a query of its own; the
 * paths of issues start with the path of the member.
 */
export async function checkedMember<T extends object>(
  type: Type<T>,
  value: object,
  { path, as }: { path: string; as: 'body' | 'query' },
): Promise<T> {
  const { instance, issues } = await (as === 'query' ? validateQuery : validateRequest)(type, value);
  if (issues.length > 0) {
    throw invalidRequest(issues.map((issue) => ({ ...issue, path: issue.path ? `${path}.${issue.path}` : path })));
  }
  return instance as T;
}
