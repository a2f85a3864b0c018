import type { Type } from '@nestjs/common';
import { getMetadataStorage } from 'class-validator';
import { RequestPipe } from './validation.pipe.js';

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
