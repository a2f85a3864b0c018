import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Provisioning } from '../../platform/provisioning/provisioning.js';
import { ClientSecrets } from './client-secrets/client-secrets.service.js';
import { ConnectorProviderRow } from './connector-providers/connector-provider.dto.js';
import { ConnectorProviders } from './connector-providers/connector-providers.service.js';
import { loadDemoConnect } from './demo.js';
import { OAuthClients } from './oauth-clients/oauth-clients.service.js';
import { OperatorGrantRow, OperatorRow } from './operators/operator.dto.js';
import { OperatorProvisioning } from './operators/operator-provisioning.js';

/** The sections `operators`, `operatorGrants` and `connectorProviders`, and the demo data of connect. */
@Injectable()
export class ConnectProvisioning implements OnModuleInit {
  constructor(
    private readonly provisioning: Provisioning,
    private readonly operators: OperatorProvisioning,
    private readonly clients: OAuthClients,
    private readonly secrets: ClientSecrets,
    private readonly providers: ConnectorProviders,
  ) {}

  onModuleInit(): void {
    const { provisioning, operators, clients, secrets, providers } = this;
    provisioning.section('operators', {
      order: 300,
      row: OperatorRow,
      apply: (rows) => operators.applyOperators(rows),
    });
    provisioning.section('operatorGrants', {
      order: 310,
      row: OperatorGrantRow,
      apply: (rows) => operators.applyGrants(rows),
    });
    provisioning.section('connectorProviders', {
      order: 320,
      row: ConnectorProviderRow,
      apply: (rows) => providers.apply(rows),
    });
    provisioning.demo(300, 'operators and connectors', () =>
      loadDemoConnect({ operators, clients, secrets, providers }),
    );
  }
}
