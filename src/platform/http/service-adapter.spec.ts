import { once } from 'node:events';
import { request as send, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import express, { type Request, type Response } from 'express';
import { pino } from 'pino';
import { ServiceAdapter } from './service-adapter.js';

const ROUTES: [method: 'get' | 'post' | 'delete' | 'head', path: string][] = [
  ['get', '/v1/trips'],
  ['get', '/v1/trips/summary'],
  ['get', '/v1/trips/:id'],
  ['post', '/v1/trips/:id/items/:itemId/confirm'],
  ['delete', '/v1/trips/:id'],
  ['get', '/v1/rooms/list'],
  ['get', '/v1/rooms/:id'],
  ['head', '/v1/only-head'],
  ['get', '/v1/files/*path'],
];

const REQUESTS = [
  'GET /v1/trips',
  'GET /v1/trips/',
  'GET /v1/trips/summary',
  'GET /v1/rooms/list',
  'GET /V1/Trips/SUMMARY?q=1',
  'GET /v1/trips/MixedCase-1_2.3~4',
  'GET /v1/trips/a?x=/b',
  'GET /v1/trips/%61',
  'GET /v1/trips/a%2Fb',
  'GET /v1/trips/%E0%A4%A',
  'GET /v1/%74rips/a',
  'GET /v1//trips/a',
  'GET /v1/trips//',
  'GET //v1/trips/a',
  'GET /v1/trips/a/b',
  'GET /v1/trips/a;b=c',
  'GET /v1/trips/a#b',
  'GET /v1/trips/__proto__',
  'GET /v1/trips/\u00c4\u00d6',
  `GET /v1/trips/${'x'.repeat(200)}`,
  'GET http://elsewhere.example/v1/trips/a',
  'GET /v1/files/a/b/c',
  'GET /',
  'GET /unknown',
  'HEAD /v1/trips/a',
  'HEAD /v1/only-head',
  'GET /v1/only-head',
  'POST /v1/trips/a/items/b/confirm',
  'POST /v1/trips/a/items//confirm',
  'POST /v1/trips/a',
  'DELETE /v1/trips/a',
  'PATCH /v1/trips/a',
  'OPTIONS /v1/trips/a',
  'PROPFIND /v1/trips/a',
];

let servers: Server[];
/** The number of requests that reached Express's routes behind the tree. */
let routedByExpress = 0;

type Handle = (request: Request, response: Response) => void;
type Registrar = Record<(typeof ROUTES)[number][0], (path: string, handle: Handle) => unknown>;

beforeAll(async () => {
  const plain = express();
  addRoutes(plain);

  const adapter = new ServiceAdapter(pino({ level: 'silent' }));
  adapter.use(adapter.route);
  adapter.use((_request: Request, _response: Response, next: () => void) => {
    routedByExpress += 1;
    next();
  });
  addRoutes(adapter);

  const apps = [plain, adapter.getInstance<express.Express>()];
  servers = await Promise.all(
    apps.map(async (app) => {
      const server = app.listen(0, '127.0.0.1');
      await once(server, 'listening');
      return server;
    }),
  );
});

afterAll(() => {
  for (const server of servers) server.close();
});

function addRoutes(app: Registrar): void {
  for (const [method, path] of ROUTES) {
    app[method](path, ({ params, query, route }, response) => {
      const { path: template } = route as { path: string };
      response.set('X-Route', encodeURI(JSON.stringify({ template, params, query }))).send('body');
    });
  }
}

function answerOf(server: Server, line: string): Promise<unknown> {
  const at = line.indexOf(' ');
  const { port } = server.address() as AddressInfo;
  return new Promise((resolve, reject) => {
    const outgoing = send(
      { port, host: '127.0.0.1', method: line.slice(0, at), path: line.slice(at + 1) },
      (response) => {
        const { 'x-route': route = 'none' } = response.headers;
        response.resume();
        resolve({ status: response.statusCode, route: decodeURI(String(route)), allow: response.headers.allow });
      },
    );
    outgoing.once('error', reject).end();
  });
}

describe('the routes of the adapter', () => {
  it.each(REQUESTS)('the tree routes as Express does: %s', async (line) => {
    const [byExpress, byTree] = await Promise.all(servers.map((server) => answerOf(server, line)));
    expect(byTree).toEqual(byExpress);
  });

  it('a literal after a parameter that hides it from Express is rejected', () => {
    const adapter = new ServiceAdapter(pino({ level: 'silent' }));
    adapter.get('/v1/rooms/:id', () => undefined);
    expect(() => adapter.get('/v1/rooms/list', () => undefined)).toThrow('GET /v1/rooms/:id hides GET /v1/rooms/list');
  });

  it('no request with a plain path is left to the routes of Express', async () => {
    const [, withTree] = servers as [Server, Server];
    routedByExpress = 0;
    for (const line of ['GET /v1/trips/a', 'HEAD /v1/trips', 'POST /v1/trips/a/items/b/confirm'])
      await answerOf(withTree, line);
    expect(routedByExpress).toBe(0);
  });

  it('a second route of the same method and form is rejected, because it could not be reached', () => {
    const adapter = new ServiceAdapter(pino({ level: 'silent' }));
    adapter.get('/v1/trips/:id', () => undefined);
    adapter.delete('/v1/trips/:slug', () => undefined);
    expect(() => adapter.get('/v1/trips/:slug', () => undefined)).toThrow('already declared');
  });
});
