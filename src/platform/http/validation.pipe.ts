import {
  type ArgumentMetadata,
  type CanActivate,
  type ExecutionContext,
  Injectable,
  type PipeTransform,
  type Type,
} from '@nestjs/common';
import type { Request } from 'express';
import { invalidRequest, type Issue } from '../errors/app-error.js';
import { Routes } from './routes.js';
import { type Surface, surfaceOf } from '../context/surface.js';
import { inspectText } from '../validation/json-text.js';
import { type DataMember, isPatch, keptAsData } from './dto.js';
import { renamedParameters } from './query-fields.js';
import { validateDto } from '../validation/validate-dto.js';

const LENIENT: readonly Surface[] = ['storefront', 'octo'];

/**
 * A route without a query accepts no parameters: a misspelt or misplaced one is rejected. A route with a query rejects
 * unknown ones by its class. The storefront ignores unknown parameters, because links to it contain tracking parameters, and so
 * does OCTO, by its standard.
 */
@Injectable()
export class KnownQueryGuard implements CanActivate {
  constructor(private readonly routes: Routes) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<Request>();
    if (!request.url.includes('?') || this.routes.readsQuery(context.getHandler())) return true;
    const isLenient = LENIENT.includes(surfaceOf(request.path));
    const unknown = isLenient ? [] : Object.keys(request.query);
    if (unknown.length === 0) return true;
    throw invalidRequest(
      unknown.map((path) => ({ path, message: `${path} is not recognized`, code: 'unknown_member' })),
    );
  }
}

type ArgumentOf = Omit<ArgumentMetadata, 'metatype'> & { metatype?: Type<object> | undefined };

/** Validates bodies and queries against their class. */
@Injectable()
export class RequestPipe implements PipeTransform {
  async transform(value: unknown, { metatype, type }: ArgumentOf): Promise<unknown> {
    const isClass =
      metatype !== undefined && ![String, Number, Boolean, Object, Array].some((plain) => plain === metatype);
    if (!isClass || (type !== 'body' && type !== 'query')) return value;

    const { instance, issues } = await (type === 'query' ? validateQuery : validateRequest)(metatype, value);
    if (issues.length > 0) throw invalidRequest(issues);
    return instance;
  }
}

/** Validates a query and accepts former names of its parameters; issues contain the names that the caller sent. */
export async function validateQuery(type: Type<object>, value: unknown): ReturnType<typeof validateRequest> {
  const given = Object.entries(value ?? {});
  const renamed = renamedParameters(type, Object.fromEntries(given));
  if (renamed.size === 0) return validateRequest(type, value);
  const query = Object.fromEntries(given.map(([name, text]) => [renamed.get(name) ?? name, text as unknown]));
  const { instance, issues } = await validateRequest(type, query);
  const sent = new Map([...renamed].map(([former, name]) => [name, former]));
  return {
    ...(instance && { instance }),
    issues: issues.map((issue) => {
      const { path, message } = issue;
      const name = sent.get(path) ?? path;
      return { ...issue, path: name, message: message.replace(path, name) };
    }),
  };
}

/**
 * Validates a parsed body or query; `instance` is only complete when there are no issues. Unknown members are rejected.
 * Values that the class keeps as data (free JSON) pass untouched, because class-transformer drops keys such as
 * `toString`. Tests of DTO classes call it directly.
 */
export async function validateRequest(
  type: Type<object>,
  value: unknown,
): Promise<{ instance?: object; issues: Issue[] }> {
  const given: unknown = value ?? {};
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    return {
      issues: [
        { path: '', message: 'The body must be a JSON object', code: 'wrong_type', params: { expected: 'object' } },
      ],
    };
  }
  if (isPatch(type) && Object.keys(given).length === 0) {
    return { issues: [{ path: '', message: 'At least one member is required', code: 'empty' }] };
  }

  const { structured, data } = apartFromData(given, keptAsData(type));
  const unfit = [...inspectText(structured), ...keptAsData(type).flatMap((member) => inspectSize(member, data))];
  if (unfit.length > 0) return { issues: unfit };

  // Decorators of a member that is kept as data see a placeholder of the same kind.
  const { instance, issues } = await validateDto(type, { ...structured, ...mapValues(data, standIn) });
  return { instance: Object.assign(instance, data), issues };
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
    : [
        {
          path: name,
          message: `${name} is larger than ${maxBytes} bytes`,
          code: 'too_many_bytes',
          params: { max: maxBytes },
        },
      ];
}

function standIn(value: unknown): unknown {
  return typeof value === 'object' && value !== null ? (Array.isArray(value) ? [] : {}) : value;
}

function mapValues(record: Record<string, unknown>, map: (value: unknown) => unknown): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
}
