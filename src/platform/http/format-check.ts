import type { Type } from '@nestjs/common';
import { getMetadataStorage } from 'class-validator';
import { RequestPipe } from './validation.pipe.js';

const pipe = new RequestPipe();

/**
 * What this class knows of the value, checked like the body of a request: for what was stored as JSON and comes back
 * after the rules may have changed. Members that the class does not know are left out. Throws 400.
 */
export async function checkedAs<T extends object>(type: Type<T>, value: object | null): Promise<T> {
  const known = getMetadataStorage().getTargetValidationMetadatas(type, '', false, false);
  const names = new Set(known.map(({ propertyName }) => propertyName));
  const members = Object.entries(value ?? {}).filter(([name]) => names.has(name));
  return (await pipe.transform(Object.fromEntries(members), { type: 'body', metatype: type })) as T;
}
