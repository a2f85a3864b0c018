#!/usr/bin/env node
// @ts-check
import { restoreCommand } from './backup/commands.js';

/* npm run restore: restores a backup; `--help` lists the options. */
process.exitCode = await restoreCommand(process.argv.slice(2));
