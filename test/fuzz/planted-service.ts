import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';

export const tokens = { staff: 'staff-secret-1', platform: 'platform-secret-1', limited: 'limited-secret-1' };
const ROWS = '/v1/admin/finance/rows';
export const REPLAYED = 'Idempotent-Replayed';
/** Headers that a request has at most once. */
const ONCE = [
  'authorization',
  'x-api-key',
  'content-type',
  'idempotency-key',
  'if-match',
  'if-none-match',
  'x-request-id',
];
const json = (name: string) => ({
  description: name,
  content: { 'application/json': { schema: { $ref: `#/components/schemas/${name}` } } },
});
const errors = Object.fromEntries([400, 401, 404, 405, 409, 413, 415, 422].map((status) => [status, json('Problem')]));
const keyed = { name: 'Idempotency-Key', in: 'header', schema: { type: 'string', maxLength: 255 } };
const id = { name: 'id', in: 'path', schema: { type: 'string', maxLength: 40, example: 'row_1' } };
const text20 = { type: 'string', minLength: 1, maxLength: 20 };
const row = { type: 'object', required: ['id', 'name'], properties: { id: text20, name: { type: 'string' } } };
const shared = { security: [{ bearer: [] }] };

const document = {
  openapi: '3.0.0',
  paths: {
    [ROWS]: {
      post: {
        ...shared,
        operationId: 'rows_create',
        parameters: [{ $ref: '#/components/parameters/IdempotencyKey' }],
        requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/CreateRow' } } } },
        responses: { 201: json('Envelope'), ...errors },
      },
    },
    [`${ROWS}/{id}`]: {
      get: { ...shared, operationId: 'rows_get', parameters: [id], responses: { 200: json('Envelope'), ...errors } },
    },
  },
  components: {
    parameters: { IdempotencyKey: keyed },
    schemas: {
      CreateRow: { type: 'object', required: ['name'], properties: { name: text20 }, additionalProperties: false },
      Envelope: { type: 'object', required: ['data'], properties: { data: row } },
      Problem: { type: 'object', required: ['error', 'code', 'requestId'], additionalProperties: true },
    },
  },
};

/** The response of a correct service; a planted fault changes it. */
export interface Answer {
  status: number;
  body: Record<string, unknown>;
  headers: Record<string, string>;
}

interface ParsedRequest {
  request: IncomingMessage;
  sent: string;
}

/** Null closes the connection. */
export type Plant = (answer: Answer, parsed: ParsedRequest) => Answer | null;

/** A service with one operation to create and one to read, in which a fault can be planted. */
export class PlantedService {
  readonly requests: string[] = [];
  private readonly rows = new Map<string, string>();
  private readonly keyed = new Map<string, { sent: string; answer: Answer }>();
  private readonly server: Server;

  constructor(private readonly plant: Plant) {
    this.server = createServer((request, response) => {
      void text(request).then((sent) => this.answer(request, response, sent));
    });
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    const address = this.server.address();
    return `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private answer(request: IncomingMessage, response: ServerResponse, sent: string): void {
    const { method, url = '', headers } = request;
    response.setHeader('Content-Type', 'application/json');
    if (url === '/openapi.json') return void response.end(JSON.stringify(document));
    if (url === '/metrics') return void response.end('unmapped_db_errors_total 0\n');
    this.requests.push(`${headers['x-request-id']?.toString()} ${method} ${url} ${sent}`);
    const answer = this.plant(this.correctAnswer(request, sent), { request, sent });
    if (answer === null) return void request.socket.destroy();
    const usual = { 'X-Request-Id': idOf(request), 'X-Content-Type-Options': 'nosniff' };
    response.writeHead(answer.status, { ...usual, ...answer.headers }).end(JSON.stringify(answer.body));
  }

  private correctAnswer(request: IncomingMessage, sent: string): Answer {
    const { method, url = '', headers } = request;
    if (headers.authorization !== `Bearer ${tokens.staff}`) {
      return errorAnswer(request, 401, { 'WWW-Authenticate': 'Bearer' });
    }
    if (ONCE.some((name) => (request.headersDistinct[name]?.length ?? 0) > 1)) return errorAnswer(request, 400);
    const rowId = url.replace(`${ROWS}/`, '');
    const found = this.rows.get(rowId);
    if (method === 'GET' && found !== undefined) return { status: 200, body: rowOf(rowId, found), headers: {} };
    if (method !== 'POST' || url !== ROWS) return errorAnswer(request, 404);
    const key = keyOf(request);
    if (key === undefined) return this.create(request, sent);
    if (!isKey(key)) return errorAnswer(request, 400);
    const known = this.keyed.get(key);
    if (known && known.sent !== sent) return errorAnswer(request, 422);
    if (known) return { ...known.answer, headers: { [REPLAYED]: 'true' } };
    const answer = this.create(request, sent);
    if (answer.status === 201) this.keyed.set(key, { sent, answer });
    return answer;
  }

  private create(request: IncomingMessage, sent: string): Answer {
    const name = nameIn(sent);
    if (name === null) return errorAnswer(request, 400);
    const made = `row_${this.rows.size}`;
    this.rows.set(made, name);
    return { status: 201, body: rowOf(made, name), headers: {} };
  }
}

function keyOf({ headers }: IncomingMessage): string | undefined {
  return headers['idempotency-key']?.toString();
}

function isKey(key: string): boolean {
  return /^[\x21-\x7e]{8,255}$/.test(key);
}

export function rowOf(rowId: string, name: string): { data: { id: string; name: string } } {
  return { data: { id: rowId, name } };
}

export function errorAnswer(request: IncomingMessage, status: number, headers: Record<string, string> = {}): Answer {
  return { status, body: { error: 'Refused', code: 'refused', requestId: idOf(request) }, headers };
}

function idOf({ headers }: IncomingMessage): string {
  const sent = headers['x-request-id']?.toString() ?? '';
  return /^[\w.-]{8,128}$/.test(sent) ? sent : 'minted-by-us';
}

function nameIn(sent: string): string | null {
  try {
    const body = JSON.parse(sent) as { name?: unknown };
    const isOnly = Object.keys(body).length === 1 && Object.hasOwn(body, 'name');
    return isOnly && typeof body.name === 'string' && /^[^\0]{1,20}$/u.test(body.name) ? body.name : null;
  } catch {
    return null;
  }
}
