import { randomInt } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { WebhookEndpointsService } from '../../src/modules/webhooks/endpoints/webhook-endpoints.service.js';
import { asSystem } from '../../src/platform/context/request-context.js';
import { newId } from '../../src/platform/ids/id.js';
import { eventually } from '../launcher/wait.js';
import { startApp, type TestApp } from '../setup/app.js';
import { kill, startService } from '../setup/service-process.js';
import { newEndpoint } from './endpoints.js';
import { type Received, Receiver } from './receiver.js';

const EVENTS = 10_000;
const SUBJECTS = 500;
const KILL_AT = [2_000, 5_000];
const ENDPOINTS = 1_000;
const HANGING = 100;
const PER_OWNER = 50;

let app: TestApp;
let receiver: Receiver;
beforeAll(async () => {
  app = await startApp({ env: { JOBS: 'false' } });
  receiver = await Receiver.start();
});

/** Publishes events about these subjects, in turn: `version` counts those of a subject. */
async function publish(type: string, channel: string, { subjects, count }: { subjects: number; count: number }) {
  const numbers = Array.from({ length: count }, (_, number) => number);
  await app.sql(
    `insert into outbox_events (id, channel, event, data, created_at)
     select id, $3, $4, json_build_object('customerId', 'cus_' || n % $5, 'version', n / $5), now()
     from unnest($1::text[], $2::int[]) as e (id, n) order by n`,
    [numbers.map(() => newId('evt')), numbers, channel, type, subjects],
  );
}

/** The demo data has events of customers, too. */
const isOwn = (received: Received) => /^cus_\d{1,3}$/.test(subjectOf(received));
const subjectOf = ({ data }: Received) => String(data['customerId']);
const versionOf = ({ data }: Received) => Number(data['version']);

describe('10,000 events', () => {
  it('arrive at a receiver that fails at random, each at least once and in order per subject, although the service is killed twice', async () => {
    const endpointId = await newEndpoint(app, { url: `${receiver.origin}/all`, eventTypes: ['customer.updated'] });
    const [seen, accepted] = [new Set<string>(), new Set<string>()];
    receiver.answer = (received, response) => {
      if (!isOwn(received)) return void response.writeHead(204).end();
      const { id } = received;
      const isFirst = !seen.has(id);
      seen.add(id);
      const failure = isFirst ? randomInt(20) : 20;
      if (failure === 0) response.writeHead(500).end();
      else if (failure === 1) response.destroy();
      else {
        accepted.add(id);
        response.writeHead(204).end();
      }
    };
    await publish('customer.updated', 'customers', { subjects: SUBJECTS, count: EVENTS });

    for (const count of KILL_AT) {
      const service = startService();
      await eventually(
        () => (accepted.size >= count ? true : null),
        () => `${accepted.size} arrived`,
      );
      await kill(service);
    }
    const service = startService();
    const open = `select count(*)::int as open from webhook_deliveries where endpoint_id = $1 and status = 'pending'`;
    await eventually(
      async () => {
        const [row] = await app.sql<{ open: number }>(open, [endpointId]);
        return accepted.size === EVENTS && row?.open === 0 ? true : null;
      },
      () => `${accepted.size} arrived`,
      180,
    );
    await kill(service);

    const versions = new Map<string, number[]>();
    for (const received of receiver.at('/all').filter(isOwn)) {
      versions.set(subjectOf(received), [...(versions.get(subjectOf(received)) ?? []), versionOf(received)]);
    }
    const disordered = [...versions].filter(([, list]) => list.some((one, at) => one < (list[at - 1] ?? 0)));
    expect([versions.size, disordered]).toEqual([SUBJECTS, []]);
    const [totals] = await app.sql(
      `select (select count(*)::int from webhook_deliveries where endpoint_id = $1 and status = 'succeeded'
            and subject ~ '^cus_[0-9]{1,3}$') as succeeded,
         (select count(*)::int from webhook_queues where endpoint_id = $1) as queues,
         (select count(*)::int from outbox_events) as outbox`,
      [endpointId],
    );
    expect(totals).toEqual({ succeeded: EVENTS, queues: 0, outbox: 0 });
  }, 400_000);
});

describe('1,000 endpoints', () => {
  it('receive events although 100 of them hang: each of these has one attempt at a time, and the others are served meanwhile', async () => {
    await newEndpoints();
    const open = { now: 0, most: 0 };
    receiver.answer = ({ path }, response) => {
      if (path.startsWith('/hanging/')) {
        open.now += 1;
        open.most = Math.max(open.most, open.now);
        response.on('close', () => {
          open.now -= 1;
        });
      } else response.writeHead(204).end();
    };
    // An attempt that the busy machine makes too late is repeated.
    const served = () => {
      const answered = receiver.received.filter(({ path }) => path.startsWith('/answering/'));
      return new Set(answered.map(({ path, id }) => `${path} ${id}`)).size;
    };
    const service = startService();
    for (const round of [1, 2, 3]) {
      const started = performance.now();
      await publish('customer.erased', 'customers', { subjects: 1, count: 1 });
      const expected = round * (ENDPOINTS - HANGING);
      await eventually(
        () => (served() === expected ? true : null),
        () => `${served()} of ${expected} arrived`,
      );
      process.stdout.write(`round ${round}: ${Math.round(performance.now() - started)} ms\n`);
    }
    expect(open.most).toBeLessThanOrEqual(HANGING);
    expect(open.most).toBeGreaterThan(HANGING / 2);
    await kill(service);
  }, 200_000);
});

/** The limit is per owner, so the owners are exchanged afterwards for one who may read the events. */
async function newEndpoints(): Promise<void> {
  const endpoints = app.nest.get(WebhookEndpointsService, { strict: false });
  for (let number = 0; number < ENDPOINTS; number += PER_OWNER) {
    const owner = { ownerKind: 'staff', ownerId: `owner_${number}` } as const;
    for (let index = 0; index < PER_OWNER; index += 1) {
      const description = (number + index) % (ENDPOINTS / HANGING) === 0 ? 'hanging' : 'answering';
      const url = `${receiver.origin}/${description}/${number + index}`;
      const body = { url, description, eventTypes: ['customer.erased'] };
      await asSystem(() => endpoints.create(body, { owner }));
    }
  }
  await app.sql(
    `update webhook_endpoints set owner_id = 'user_01k0dem000e000000000000001' where owner_id like 'owner_%'`,
  );
}
