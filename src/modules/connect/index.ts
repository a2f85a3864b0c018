export { ConnectModule } from './connect.module.js';
