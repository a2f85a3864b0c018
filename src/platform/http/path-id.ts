import { Param, type PipeTransform } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import { notFound } from '../errors/app-error.js';
import { demoId, isId } from '../ids/id.js';
import { nounOf } from './property-description.js';

class IdPipe implements PipeTransform<string, string> {
  constructor(private readonly prefix: string) {}

  transform(value: string): string {
    if (!isId(this.prefix, value)) throw notFound();
    return value;
  }
}

/**
 * A path parameter with an id of this kind. A malformed id is 404 without a query. `demo` is the number of the demo row
 * in the API document; routes that change or delete have a row of their own. `source`: where to copy the id if the demo data has none.
 */
export function PathId(prefix: string, name = 'id', demo = 1, source?: string): ParameterDecorator {
  return (target, key, index) => {
    Param(name, new IdPipe(prefix))(target, key, index);
    documentPathId(target, key, { prefix, name, demo, source });
  };
}

/**
 * States in the API document that this path parameter is an id of this kind, and gives the id of the demo row as its example.
 */
export function documentPathId(
  target: object,
  key: string | symbol | undefined,
  { prefix, name, demo, source }: { prefix: string; name: string; demo: number; source?: string | undefined },
): void {
  const resource = name === 'id' ? 'the resource' : `the ${nounOf(name)}`;
  const copied = source === undefined ? '' : ` Copy it from ${source}.`;
  const description = `ID of ${resource}, a TypeID with the prefix \`${prefix}\`.${copied}`;
  documentPath(target, key, { name, description, maxLength: prefix.length + 27, example: demoId(prefix, demo) });
}

interface PathTextRule {
  description: string;
  maxLength: number;
  pattern?: RegExp;
  /** An id that exists in the demo data. */
  example?: string;
}

/** A path parameter with a grammar of its own, which its pipe checks. */
export function PathText(name: string, rule: PathTextRule, pipe: PipeTransform): ParameterDecorator {
  return (target, key, index) => {
    Param(name, pipe)(target, key, index);
    documentPath(target, key, { ...rule, name });
  };
}

/** States in the API document that the path has this parameter. */
export function documentPath(
  target: object,
  key: string | symbol | undefined,
  rule: PathTextRule & { name: string },
): void {
  const descriptor = key === undefined ? undefined : Object.getOwnPropertyDescriptor(target, key);
  if (key === undefined || !descriptor) return;
  const { name, maxLength, pattern, description, example } = rule;
  ApiParam({
    name,
    description,
    schema: {
      type: 'string',
      minLength: 1,
      maxLength,
      ...(pattern ? { pattern: pattern.source } : {}),
      // @nestjs/swagger omits it beside a schema.
      ...(example === undefined ? {} : { example }),
    },
  })(target, key, descriptor);
}
