import { Module } from '@nestjs/common';
import { ActionLedgerModule } from '../action-ledger/index.js';
import { ConnectModule } from '../connect/index.js';
import { IdentityModule } from '../identity/index.js';
import { PartnerWebhookDeliveriesController } from './deliveries/partner-webhook-deliveries.controller.js';
import { WebhookDeliveriesController } from './deliveries/webhook-deliveries.controller.js';
import { WebhookDeliveriesRepository } from './deliveries/webhook-deliveries.repository.js';
import { WebhookDeliveriesService } from './deliveries/webhook-deliveries.service.js';
import { WebhookDeliveryWorker } from './deliveries/webhook-delivery-worker.js';
import { WebhookFanOut } from './deliveries/webhook-fan-out.js';
import { OwnerRightsService } from './endpoints/owner-rights.service.js';
import { PartnerWebhookEndpointsController } from './endpoints/partner-webhook-endpoints.controller.js';
import { WebhookEndpointsController } from './endpoints/webhook-endpoints.controller.js';
import { WebhookEndpointsService } from './endpoints/webhook-endpoints.service.js';
import { WebhookSecretsService } from './signing/webhook-secrets.service.js';
import { WebhooksDemo } from './webhooks.demo.js';
import './webhooks-tables.js';

@Module({
  imports: [ActionLedgerModule, ConnectModule, IdentityModule],
  controllers: [
    PartnerWebhookDeliveriesController,
    PartnerWebhookEndpointsController,
    WebhookDeliveriesController,
    WebhookEndpointsController,
  ],
  providers: [
    OwnerRightsService,
    WebhookDeliveriesRepository,
    WebhookDeliveriesService,
    WebhookDeliveryWorker,
    WebhookEndpointsService,
    WebhookFanOut,
    WebhookSecretsService,
    WebhooksDemo,
  ],
})
export class WebhooksModule {}
