import { type ArgumentMetadata, Injectable, type PipeTransform, type Type } from '@nestjs/common';
import { type Issue, invalidField, invalidRequest } from '../errors/app-error.js';
import { inspectText } from './json-text.js';
import { type DataMember, isPatch, keptAsData } from './dto.js';
import { validateDto } from './validate-dto.js';

type ArgumentOf = Omit<ArgumentMetadata, 'metatype'> & { metatype?: Type<object> | undefined };

/**
 * Validates bodies and queries against their class. Unknown members are rejected. Values that the class keeps as data
 * (free JSON) pass untouched, because class-transformer drops keys such as `toString`.
 */
@Injectable()
export class RequestPipe implements PipeTransform {
  async transform(value: unknown, { metatype, type }: ArgumentOf): Promise<unknown> {
    const isClass =
      metatype !== undefined && ![String, Number, Boolean, Object, Array].some((plain) => plain === metatype);
    if (!isClass || (type !== 'body' && type !== 'query')) return value;

    const given: unknown = value ?? {};
    if (typeof given !== 'object' || given === null || Array.isArray(given)) {
      throw invalidField('', 'The body must be a JSON object', 'isObject');
    }
    if (isPatch(metatype) && Object.keys(given).length === 0) {
      throw invalidField('', 'At least one member is required', 'notEmpty');
    }

    const { structured, data } = apartFromData(given, keptAsData(metatype));
    const unfit = [...inspectText(structured), ...keptAsData(metatype).flatMap((member) => inspectSize(member, data))];
    if (unfit.length > 0) throw invalidRequest(unfit);

    // Decorators of a member kept as data see a stand-in of its kind.
    const body = { ...structured, ...mapValues(data, standIn) };
    const validated = await validateDto(metatype, body);
    if (validated.issues.length > 0) throw invalidRequest(validated.issues);
    return Object.assign(validated.instance, data);
  }
}

function apartFromData(given: object, kept: readonly DataMember[]) {
  const isKept = ([key]: [string, unknown]) => kept.some(({ name }) => name === key);
  const entries = Object.entries(given) as [string, unknown][];
  return {
    structured: Object.fromEntries(entries.filter((entry) => !isKept(entry))),
    data: Object.fromEntries(entries.filter(isKept)),
  };
}

function inspectSize({ name, maxBytes }: DataMember, data: Record<string, unknown>): Issue[] {
  const bytes = data[name] === undefined ? 0 : Buffer.byteLength(JSON.stringify(data[name]));
  return bytes <= maxBytes
    ? []
    : [{ path: name, message: `${name} is larger than ${maxBytes} bytes`, code: 'maxBytes' }];
}

function standIn(value: unknown): unknown {
  return typeof value === 'object' && value !== null ? (Array.isArray(value) ? [] : {}) : value;
}

function mapValues(record: Record<string, unknown>, map: (value: unknown) => unknown): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
}
