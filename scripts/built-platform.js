// @ts-check
import { main } from './platform/main.js';

/* The command line on the present packages and the present build, for tests and measurements: installs and builds nothing. */
await main(process.argv.slice(2), { prepares: false });
