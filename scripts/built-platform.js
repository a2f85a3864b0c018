// @ts-check
import { main } from './platform/main.js';

/*
 * Runs the command line with the current packages and the current build, for tests and measurements. It installs and builds
 * nothing.
 */
await main(process.argv.slice(2), { prepares: false });
