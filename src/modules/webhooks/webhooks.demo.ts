import { Injectable } from '@nestjs/common';
import { EVENTS_SCOPE } from '../../platform/auth/scopes.js';
import { Clock } from '../../platform/clock/clock.js';
import { SYSTEM } from '../../platform/context/actor.js';
import { asActor } from '../../platform/context/request-context.js';
import { Database } from '../../platform/database/database.js';
import { make } from '../../platform/database/rows.js';
import { demoId } from '../../platform/ids/id.js';
import { DemoData } from '../../platform/provisioning/provisioning-decorators.js';
import { OperatorsService } from '../connect/index.js';
import { type StoredEvent, WebhookDeliveriesRepository } from './deliveries/webhook-deliveries.repository.js';
import { WebhookDelivery } from './deliveries/webhook-delivery.entity.js';
import { WebhookEndpointsService } from './endpoints/webhook-endpoints.service.js';

/** Without a connection it has no events, because the receiver does not exist. */
const OPERATOR = 'op_demo_receiver';
const STAFF_OWNER = { ownerKind: 'staff', ownerId: demoId('user', 1) } as const;
const OPERATOR_OWNER = { ownerKind: 'operator', ownerId: OPERATOR } as const;
const DESCRIPTIONS = ['Accounting', 'Data warehouse', 'Former data warehouse', 'Office screen'];
/** The events of staff are rare. The examples read 1, change 2, delete 3 and activate 4; those of the operator 5 to 8. */
const ENDPOINTS = [
  ...DESCRIPTIONS.map((description) => ({ description, owner: STAFF_OWNER, eventTypes: ['period.*'] })),
  ...DESCRIPTIONS.map((description) => ({ description, owner: OPERATOR_OWNER, eventTypes: ['partner_booking.*'] })),
];
/** May read the events of operators too. */
const LOADER = { ...SYSTEM, scopes: [...SYSTEM.scopes, EVENTS_SCOPE] };
const URL = 'https://hooks.example.com/travel';

/** The endpoints and deliveries that the examples of the API document name. */
@Injectable()
export class WebhooksDemo {
  constructor(
    private readonly endpoints: WebhookEndpointsService,
    private readonly deliveries: WebhookDeliveriesRepository,
    private readonly operators: OperatorsService,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  @DemoData(740, 'webhook endpoints')
  async load(): Promise<void> {
    await this.operators.provision([{ id: OPERATOR, name: 'Demo Receiver' }]);
    for (const [index, { owner, ...endpoint }] of ENDPOINTS.entries()) {
      await asActor(LOADER, () =>
        this.endpoints.create({ ...endpoint, url: URL }, { id: demoId('whe', index + 1), owner }),
      );
    }
    await this.database.transaction(async () => {
      for (const number of [4, 8]) await this.endpoints.disable(demoId('whe', number), 'gone');
    });
    for (const number of [1, 2]) {
      const subject = `2026-0${number}`;
      const data = { period: subject, status: 'closed', version: 2 };
      await this.addDelivery(number, demoId('whe', 1), {
        type: 'period.closed',
        channel: 'finance.periods',
        subject,
        data,
      });
    }
    for (const number of [3, 4]) {
      const subject = demoId('book', number);
      const data = { bookingId: subject, operatorId: OPERATOR, status: 'confirmed' };
      await this.addDelivery(number, demoId('whe', 5), {
        type: 'partner_booking.changed',
        channel: `${OPERATOR}.bookings`,
        subject,
        data,
      });
    }
  }

  /** The examples read 1 and 3, and replay 1 and 4. */
  private async addDelivery(
    number: number,
    endpointId: string,
    about: Pick<StoredEvent, 'type' | 'channel' | 'subject' | 'data'>,
  ): Promise<void> {
    const now = this.clock.now();
    const event = { id: demoId('evt', number), ...about };
    await this.deliveries.addEvents([{ ...event, createdAt: now }]);
    const delivery = make(WebhookDelivery, {
      id: demoId('whd', number),
      endpointId,
      eventId: event.id,
      eventType: event.type,
      subject: event.subject,
      status: 'succeeded',
      attempts: 1,
      tries: 1,
      firstAttemptAt: now,
      responseStatus: 204,
      completedAt: now,
      createdAt: now,
    });
    await this.database.insert(delivery);
    await this.database.execute(
      `insert into webhook_attempts (delivery_id, number, started_at, duration_ms, response_status) values ($1, 1, $2, 40, 204)`,
      [delivery.id, now],
    );
  }
}
