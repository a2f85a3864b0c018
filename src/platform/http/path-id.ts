import { Param, type PipeTransform } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import { notFound } from '../errors/app-error.js';
import { isId } from '../id.js';

class IdPipe implements PipeTransform<string, string> {
  constructor(private readonly prefix: string) {}

  transform(value: string): string {
    if (!isId(this.prefix, value)) throw notFound();
    return value;
  }
}

/** A path parameter that holds an id of this kind. An odd one is 404 without a question to the database. */
export function PathId(prefix: string, name = 'id'): ParameterDecorator {
  return (target, key, index) => {
    Param(name, new IdPipe(prefix))(target, key, index);
    documentPath(target, key, { name, maxLength: prefix.length + 27, description: `TypeID with the prefix ${prefix}` });
  };
}

/** A path parameter with a grammar of its own, which its pipe checks. */
export function PathText(
  name: string,
  rule: { maxLength: number; pattern?: RegExp },
  pipe: PipeTransform,
): ParameterDecorator {
  return (target, key, index) => {
    Param(name, pipe)(target, key, index);
    documentPath(target, key, { name, maxLength: rule.maxLength, pattern: rule.pattern?.source });
  };
}

function documentPath(
  target: object,
  key: string | symbol | undefined,
  rule: { name: string; maxLength: number; pattern?: string | undefined; description?: string },
): void {
  const descriptor = key === undefined ? undefined : Object.getOwnPropertyDescriptor(target, key);
  if (key === undefined || !descriptor) return;
  const { name, maxLength, pattern, description } = rule;
  ApiParam({
    name,
    ...(description ? { description } : {}),
    schema: { type: 'string', minLength: 1, maxLength, ...(pattern ? { pattern } : {}) },
  })(target, key, descriptor);
}
