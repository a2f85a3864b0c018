// @ts-check
import { addFaults } from './faulty-provider.js';

/* The built service with the faults of its simulated provider, for tests that kill it. */
const built = (/** @type {string} */ file) => import(new URL(`../../dist/src/${file}`, import.meta.url).href);
addFaults((await built('modules/trips/providers/simulated-provider.js')).SimulatedProvider);
await built('main.js');
