import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/clock/clock.js';
import { Database } from '../../platform/database/database.js';
import { make } from '../../platform/database/rows.js';
import { demoId } from '../../platform/ids/id.js';
import { DemoData } from '../../platform/provisioning/provisioning-decorators.js';
import { WebhookDeliveriesRepository } from './deliveries/webhook-deliveries.repository.js';
import { WebhookDelivery } from './deliveries/webhook-delivery.entity.js';
import { WebhookEndpointsService } from './endpoints/webhook-endpoints.service.js';

const OWNER = { ownerKind: 'staff', ownerId: demoId('user', 1) } as const;
/** The events are rare, because the receiver does not exist. The examples read 1, change 2, delete 3 and activate 4. */
const ENDPOINTS = ['Accounting', 'Data warehouse', 'Former data warehouse', 'Office screen'].map((description) => ({
  url: 'https://hooks.example.com/travel',
  description,
  eventTypes: ['period.*'],
}));

/** The endpoints and deliveries that the examples of the API document name. */
@Injectable()
export class WebhooksDemo {
  constructor(
    private readonly endpoints: WebhookEndpointsService,
    private readonly deliveries: WebhookDeliveriesRepository,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  @DemoData(740, 'webhook endpoints')
  async load(): Promise<void> {
    for (const [index, endpoint] of ENDPOINTS.entries()) {
      await this.endpoints.create(endpoint, { id: demoId('whe', index + 1), owner: OWNER });
    }
    await this.database.transaction(async () => {
      await this.endpoints.disable(demoId('whe', 4), 'gone');
    });
    for (const number of [1, 2]) await this.addDelivery(number);
  }

  /** The examples read 1 and replay 2. */
  private async addDelivery(number: number): Promise<void> {
    const [now, endpointId] = [this.clock.now(), demoId('whe', 1)];
    const subject = `2026-0${number}`;
    const data = { period: subject, status: 'closed', version: 2 };
    const event = { id: demoId('evt', number), type: 'period.closed', channel: 'finance.periods', subject, data };
    await this.deliveries.addEvents([{ ...event, createdAt: now }]);
    const delivery = make(WebhookDelivery, {
      id: demoId('whd', number),
      endpointId,
      eventId: event.id,
      eventType: event.type,
      subject,
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
