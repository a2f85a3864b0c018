import { type ArgumentMetadata, Injectable, ValidationPipe } from '@nestjs/common';
import type { ValidationError } from 'class-validator';
import { type Issue, invalidField, invalidRequest } from '../errors/app-error.js';
import { inspectText } from './json-text.js';
import { type DataMember, isPatch, keptAsData } from './dto.js';
import { rememberRules } from './remembered-rules.js';

const NOT_CONDITIONS = ['whitelistValidation'];

rememberRules();

/**
 * Checks bodies and queries against their class. Unknown members are refused. Values that the class keeps as data
 * (free JSON) pass untouched, because both Nest and class-transformer drop keys such as `__proto__`.
 */
@Injectable()
export class RequestPipe extends ValidationPipe {
  constructor() {
    super({
      whitelist: true,
      forbidNonWhitelisted: true,
      transform: true,
      validationError: { target: false },
      exceptionFactory: (errors: ValidationError[]) => invalidRequest(errors.flatMap((error) => issuesOf(error, ''))),
    });
  }

  override async transform(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    const { metatype, type } = metadata;
    const isClass =
      metatype !== undefined && ![String, Number, Boolean, Object, Array].some((plain) => plain === metatype);
    if (!isClass || (type !== 'body' && type !== 'query')) return value;

    const given = value ?? {};
    if (typeof given !== 'object' || Array.isArray(given)) {
      throw invalidField('', 'The body must be a JSON object', 'isObject');
    }
    if (isPatch(metatype) && Object.keys(given).length === 0) {
      throw invalidField('', 'At least one member is needed', 'notEmpty');
    }
    return this.checked(given, metadata, keptAsData(metatype));
  }

  private async checked(given: object, metadata: ArgumentMetadata, kept: readonly DataMember[]): Promise<unknown> {
    const isKept = ([key]: [string, unknown]) => kept.some(({ name }) => name === key);
    const entries = Object.entries(given) as [string, unknown][];
    const structured = Object.fromEntries(entries.filter((entry) => !isKept(entry)));
    const data = Object.fromEntries(entries.filter(isKept));
    const issues = [...inspectText(structured), ...kept.flatMap((member) => inspectSize(member, data))];
    if (issues.length > 0) throw invalidRequest(issues);

    // A member kept as data is checked for being there by its own decorators, with a stand-in of its kind.
    const body = { ...structured, ...mapValues(data, standIn) };
    const checked = (await super.transform(body, metadata)) as object;
    const passedOver = membersPassedOver(body, checked, '');
    if (passedOver.length > 0) throw invalidRequest(passedOver);
    return Object.assign(checked, data);
  }
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

/**
 * Unknown members that class-transformer drops before they could be found unknown: those whose names every object has,
 * such as `toString`. A plain object inside is free, and the caller's.
 */
function membersPassedOver(given: unknown, made: unknown, parent: string): Issue[] {
  if (!isObject(given) || !isObject(made) || Object.getPrototypeOf(made) === Object.prototype) return [];
  return Object.entries(given).flatMap(([name, value]) => {
    const path = parent === '' ? name : `${parent}.${name}`;
    if (Object.hasOwn(made, name)) return membersPassedOver(value, Reflect.get(made, name), path);
    return [{ path, message: `${name} is not known here`, code: 'whitelistValidation' }];
  });
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function issuesOf(error: ValidationError, parent: string): Issue[] {
  const path = parent === '' ? error.property : `${parent}.${error.property}`;
  const own = Object.entries(error.constraints ?? {}).map(([code, message]) => ({
    path: placeOf(error, code, path),
    code,
    message: NOT_CONDITIONS.includes(code) ? `${error.property} is not known here` : message,
  }));
  return [...own, ...(error.children ?? []).flatMap((child) => issuesOf(child, path))];
}

/** A check that looks at a list as a whole may say which of its entries is at fault. */
function placeOf({ contexts, value }: ValidationError, code: string, path: string): string {
  const context: unknown = contexts?.[code];
  return saysWhere(context) ? `${path}.${context.faultIn(value)}` : path;
}

function saysWhere(context: unknown): context is { faultIn: (list: unknown) => number } {
  return isObject(context) && typeof Reflect.get(context, 'faultIn') === 'function';
}
