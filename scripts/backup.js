#!/usr/bin/env node
// @ts-check
import { backupCommand } from './backup/commands.js';

/* npm run backup: backs up database and files; `--help` lists the options. */
process.exitCode = await backupCommand(process.argv.slice(2));
