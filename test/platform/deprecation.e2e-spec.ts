import { Controller, Get, Module, Param, Res } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Response as ExpressResponse } from 'express';
import type { Server } from 'node:http';
import { connect } from '../../src/bootstrap/boot.js';
import { createApp } from '../../src/bootstrap/configure-app.js';
import { Public, RequireScope } from '../../src/platform/auth/access.js';
import { readEnv } from '../../src/platform/config/read-env.js';
import { notFound } from '../../src/platform/errors/app-error.js';
import { Deprecated } from '../../src/platform/http/deprecation.js';
import { setResponseHeader } from '../../src/platform/http/response-headers.js';
import { createLog } from '../../src/platform/observability/log.js';
import { buildDocument } from '../../src/platform/openapi/document.js';
import { closeAfterTests } from '../setup/running.js';

const OFFICE = 'https://office.example.com';
const GUIDE = 'https://docs.example.com/tours';
const GUIDE_LINKS = `<${GUIDE}>; rel="deprecation"; type="text/html", <${GUIDE}>; rel="sunset"; type="text/html"`;

@Controller('v1')
class ToursController {
  @Get('public/tours')
  @Public()
  @Deprecated({ since: '2027-01-31' })
  list(): object {
    return { data: [] };
  }

  @Get('public/tours/:id')
  @Public()
  @Deprecated({
    since: '2027-01-31',
    sunset: '2028-01-31',
    successor: '/v1/public/journeys/:id',
    documentation: GUIDE,
  })
  read(@Param('id') id: string): object {
    if (id === 'none') throw notFound();
    return { id };
  }

  @Get('public/tour-pages')
  @Public()
  @Deprecated({ since: '2027-01-31', documentation: GUIDE })
  page(): object {
    setResponseHeader('Link', '</v1/public/tour-pages?cursor=2>; rel="next"');
    return { data: [] };
  }

  @Get('public/tour-events')
  @Public()
  @Deprecated({ since: '2027-01-31' })
  events(@Res() response: ExpressResponse): void {
    response.type('text/event-stream').end('data: {}\n\n');
  }

  @Get('admin/tours')
  @RequireScope('finance:read')
  @Deprecated({ since: '2027-01-31' })
  listAll(): object {
    return { data: [] };
  }

  @Get('public/journeys/:id')
  @Public()
  readJourney(@Param('id') id: string): object {
    return { id };
  }
}

@Module({ controllers: [ToursController] })
class ToursModule {}

let app: NestExpressApplication;
let url: string;
beforeAll(async () => {
  app = await appWith(ToursModule);
  await app.listen(0, '127.0.0.1');
  url = await app.getUrl();
});

async function appWith(module: new () => object): Promise<NestExpressApplication> {
  const env = readEnv({ ...process.env, CORS_ORIGINS: OFFICE });
  const dataSource = await connect(env);
  const nest = await createApp({ env, dataSource, log: createLog('silent'), furtherModules: [module] });
  closeAfterTests(async () => {
    (nest.getHttpServer() as Server).closeAllConnections();
    await nest.close();
  });
  return nest;
}

const get = (path: string, init: RequestInit = {}) => fetch(`${url}${path}`, init);

function announced({ headers }: Response): (string | null)[] {
  return ['deprecation', 'sunset', 'link'].map((name) => headers.get(name));
}

describe('a deprecated operation', () => {
  it('a response of a deprecated operation contains the time of the deprecation', async () => {
    const response = await get('/v1/public/tours');
    expect([response.status, await response.json()]).toEqual([200, { data: [] }]);
    expect(announced(response)).toEqual(['@1801353600', null, null]);
    expect(new Date(1_801_353_600_000).toISOString()).toBe('2027-01-31T00:00:00.000Z');
  });

  it('a response of an operation with a sunset names its time, its page, and the successor with the parameters of the request', async () => {
    expect(announced(await get('/v1/public/tours/a-1'))).toEqual([
      '@1801353600',
      'Mon, 31 Jan 2028 00:00:00 GMT',
      `${GUIDE_LINKS}, </v1/public/journeys/a-1>; rel="successor-version"`,
    ]);
    const odd = await get('/v1/public/tours/%3E%0D%0A%22b');
    expect(odd.headers.get('link')).toContain('</v1/public/journeys/%3E%0D%0A%22b>; rel="successor-version"');
  });

  it('an error of a deprecated operation has the headers', async () => {
    const response = await get('/v1/public/tours/none');
    expect(response.status).toBe(404);
    expect(announced(response)).toEqual(announced(await get('/v1/public/tours/none', { method: 'HEAD' })));
    expect(response.headers.get('sunset')).toBe('Mon, 31 Jan 2028 00:00:00 GMT');
  });

  it('the link to the next page remains beside the links of the deprecation', async () => {
    const response = await get('/v1/public/tour-pages');
    expect(response.headers.get('link')).toBe(
      `</v1/public/tour-pages?cursor=2>; rel="next", <${GUIDE}>; rel="deprecation"; type="text/html"`,
    );
  });

  it('a stream that its handler writes has the headers', async () => {
    const response = await get('/v1/public/tour-events');
    expect([await response.text(), ...announced(response)]).toEqual(['data: {}\n\n', '@1801353600', null, null]);
  });

  it('another operation has none of the headers', async () => {
    expect(announced(await get('/v1/public/journeys/a-1'))).toEqual([null, null, null]);
  });

  it('a page of an allowed origin can read the headers', async () => {
    const response = await get('/v1/public/tours', { headers: { Origin: OFFICE } });
    const exposed = response.headers.get('access-control-expose-headers')?.split(',');
    expect(exposed).toEqual(expect.arrayContaining(['Deprecation', 'Sunset', 'Link']));
  });

  it('requests to deprecated operations are counted by route, not those that a guard rejects', async () => {
    const counted = async () => {
      const text = await (await get('/metrics')).text();
      return text.split('\n').filter((line) => line.startsWith('deprecated_requests_total{'));
    };
    const [before] = (await counted()).filter((line) => line.includes('"/v1/public/tours/:id"'));
    await get('/v1/public/tours/counted');
    expect((await get('/v1/admin/tours')).status).toBe(401);
    const after = await counted();
    const label = 'deprecated_requests_total{method="GET",route="/v1/public/tours/:id"}';
    expect(after).toContain(`${label} ${Number(before?.split(' ').at(-1) ?? 0) + 1}`);
    expect(after.join('\n')).not.toContain('/v1/admin/tours');
  });

  it('the API document marks a deprecated operation, says what to use instead, and describes its headers', () => {
    const built = JSON.stringify(buildDocument(app, { introduction: '', tags: [], examples: {} }));
    const document = JSON.parse(built) as {
      paths: Record<string, { get?: DocumentedOperation }>;
    };
    const { get: operation } = document.paths['/v1/public/tours/{id}'] ?? {};
    expect(operation).toMatchObject({ deprecated: true, 'x-sunset': '2028-01-31' });
    expect(operation?.description).toBe(
      '**Deprecated** since 2027-01-31. It may be removed from 2028-01-31 on. Use `/v1/public/journeys/{id}` instead. ' +
        `See ${GUIDE}\n\nNo credential required.`,
    );
    expect(Object.keys(operation?.responses['200']?.headers ?? {})).toEqual(
      expect.arrayContaining(['Deprecation', 'Sunset', 'X-Request-Id']),
    );
    expect(document.paths['/v1/public/journeys/{id}']?.get?.deprecated).toBeUndefined();
  });
});

interface DocumentedOperation {
  deprecated?: boolean;
  description?: string;
  responses: Record<string, { headers?: Record<string, unknown> }>;
}

describe('the start of a process with a deprecated operation', () => {
  it.each([
    ['/v1/public/voyages/:id', 'its successor /v1/public/voyages/:id does not exist'],
    ['/v1/public/journeys/:journeyId', 'its successor has the parameter journeyId'],
  ])('the start fails if the successor is %s', async (successor, message) => {
    @Controller('v1/public')
    class WrongController {
      @Get('old/:id')
      @Public()
      @Deprecated({ since: '2027-01-31', successor })
      read(): object {
        return {};
      }
    }
    @Module({ controllers: [WrongController] })
    class WrongModule {}

    const wrong = await appWith(WrongModule);
    await expect(wrong.init()).rejects.toThrow(message);
  });
});
