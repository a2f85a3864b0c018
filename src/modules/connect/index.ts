export { ConnectModule } from './connect.module.js';
export { OAuthClientsService } from './oauth-clients/oauth-clients.service.js';
export { OperatorsService } from './operators/operators.service.js';
