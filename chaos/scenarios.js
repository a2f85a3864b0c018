// @ts-check
import { databaseAway } from './scenarios/database-away.js';
import { databaseKilled } from './scenarios/database-killed.js';
import { poolExhausted } from './scenarios/pool-exhausted.js';
import { rollingRestarts } from './scenarios/rolling-restarts.js';
import { serviceKilled } from './scenarios/service-killed.js';
import { slowClients } from './scenarios/slow-clients.js';
import { twoInstances } from './scenarios/two-instances.js';

export const scenarios = [
  serviceKilled,
  databaseKilled,
  databaseAway,
  poolExhausted,
  slowClients,
  twoInstances,
  rollingRestarts,
];
