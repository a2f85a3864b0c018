export { deskEvents } from './events.js';
export { DeskModule } from './desk.module.js';
