import { Injectable } from '@nestjs/common';
import { demoId } from '../../platform/ids/id.js';
import { DemoData } from '../../platform/provisioning/provisioning-decorators.js';
import { ConnectionsService } from './connections/connections.service.js';

/** The connections that the examples of the API document name. The examples read 1 and change 2. */
@Injectable()
export class OctoDemo {
  constructor(private readonly connections: ConnectionsService) {}

  @DemoData(310, 'OCTO connections')
  async load(): Promise<void> {
    const channelId = demoId('chan', 2);
    await this.connections.create({ id: demoId('ocon', 1), name: 'Demo Operator', channelId, operatorId: 'op_demo' });
    const client = { id: demoId('ocon', 2), name: 'Booking sync', oauthClientId: demoId('oacl', 2) };
    await this.connections.create({ ...client, channelId, poolPolicy: 'allotment_only' });
  }
}
