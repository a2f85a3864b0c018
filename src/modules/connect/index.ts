export { ConnectModule } from './connect.module.js';
export { OAuthClientsService } from './oauth-clients/oauth-clients.service.js';
