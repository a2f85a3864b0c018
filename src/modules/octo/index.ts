/** @public for the operations of partners */
export { ConnectionsService } from './connections/connections.service.js';
export { octoEvents } from './events.js';
export { OctoModule } from './octo.module.js';
