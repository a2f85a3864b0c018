import { dereference, type Exchange, type OpenApiDocument, type Operation, type ResponseObject } from './document.js';
import { Operations } from './operations.js';
import { Schemas } from './schemas.js';
import { surfaceFaults } from './surfaces.js';

const REQUEST_ID = /^[A-Za-z0-9._-]{8,128}$/;
/** Served for operators and their tools: not a part of the API, and without its error bodies. */
const BESIDE_THE_API = /^\/($|(docs|reference|openapi\.json|metrics|health)(\/|$))/i;
/** The standard documents these operations, not our document. */
const OF_THE_STANDARD = /^\/octo(\/|$)/i;
const WITHOUT_BODY = [204, 304];

/**
 * Compares every response with the OpenAPI document of the service: a response that the document does not contain is a
 * fault of one of the two. `check` throws with all faults.
 */
export class Contract {
  private readonly operations: Operations;
  private readonly schemas: Schemas;

  constructor(private readonly document: OpenApiDocument) {
    this.operations = new Operations(document);
    this.schemas = new Schemas(document);
  }

  check(exchange: Exchange): void {
    const faults = [...this.faults(exchange)];
    if (faults.length === 0) return;
    const head = `${exchange.method} ${exchange.path} answered ${exchange.status} against the API document:`;
    throw new Error(
      [head, ...faults.map((fault) => `  - ${fault}`), `  body: ${exchange.text.slice(0, 2000)}`].join('\n'),
    );
  }

  private *faults(exchange: Exchange): Iterable<string> {
    const { method, path, status } = exchange;
    if (!REQUEST_ID.test(exchange.headers['x-request-id'] ?? ''))
      yield 'the header X-Request-Id is missing or malformed';

    const route = this.operations.find(method, path);
    if (route) yield* this.documentedFaults(exchange, route.operation);
    else if (status < 400 && method !== 'OPTIONS' && !BESIDE_THE_API.test(path) && !OF_THE_STANDARD.test(path))
      yield 'no such operation is documented';

    const hasErrorBody = status >= 400 && method !== 'HEAD' && !BESIDE_THE_API.test(path);
    if (hasErrorBody) yield* surfaceFaults(exchange);
  }

  private *documentedFaults(exchange: Exchange, operation: Operation): Iterable<string> {
    const documented = operation.responses[String(exchange.status)];
    if (documented) {
      const response = dereference(documented, this.document.components?.responses);
      yield* this.headerFaults(exchange, response);
      yield* this.bodyFaults(exchange, response);
    } else {
      yield `the status is not documented, only ${Object.keys(operation.responses).join(', ')}`;
    }
  }

  private *headerFaults(exchange: Exchange, response: ResponseObject): Iterable<string> {
    for (const [name, found] of Object.entries(response.headers ?? {})) {
      const header = dereference(found, this.document.components?.headers);
      const value = exchange.headers[name.toLowerCase()];
      if (value === undefined) {
        if (header.required === true) yield `the documented header ${name} is missing`;
      } else {
        const faults = this.schemas.faults(header.schema, headerValue(header.schema, value));
        yield* faults.map((fault) => `header ${name}: '${value}' ${fault.replace('the body ', '')}`);
      }
    }
  }

  private *bodyFaults(exchange: Exchange, response: ResponseObject): Iterable<string> {
    const bodiless = exchange.method === 'HEAD' || WITHOUT_BODY.includes(exchange.status) || !response.content;
    if (bodiless) {
      if (exchange.text !== '') yield 'a body came where none is documented';
      return;
    }
    const type = exchange.headers['content-type']?.split(';', 1)[0]?.trim() ?? 'absent';
    const media = response.content?.[type];
    if (!media) {
      yield `the content type is ${type}, documented are ${Object.keys(response.content ?? {}).join(', ')}`;
    } else if (media.schema !== undefined && type.endsWith('json')) {
      yield* this.jsonFaults(media.schema, exchange.text);
    }
  }

  private jsonFaults(schema: unknown, text: string): string[] {
    let body: unknown;
    try {
      body = JSON.parse(text);
    } catch {
      return ['the body is not JSON'];
    }
    return this.schemas.faults(schema, body);
  }
}

/** Headers are text; the bounds of a number are checked on the number. */
function headerValue(schema: unknown, value: string): unknown {
  const isNumber =
    typeof schema === 'object' && schema !== null && 'type' in schema && /^(integer|number)$/.test(String(schema.type));
  return isNumber && value.trim() !== '' ? Number(value) : value;
}
