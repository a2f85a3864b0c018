import { startService } from './bootstrap/service.js';

await startService();
