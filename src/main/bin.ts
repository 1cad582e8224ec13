#!/usr/bin/env node
// The program: command line in, exit code out.
import { runCli, type CliIo } from '../cli/index.js';
import { compareSchemas } from './compare-schemas.js';
import { demo } from './demo.js';
import { runMcp } from './mcp.js';
import { runRunner } from './runner-command.js';
import { serve } from './serve.js';
import { createToken, listTokens, revokeToken } from './tokens.js';

const io: CliIo = {
  stdout: process.stdout,
  stderr: process.stderr,
  stdin: process.stdin,
  env: process.env,
  isTTY: process.stdout.isTTY,
  width: process.stdout.columns || 80,
};

// Whoever reads our output may stop early (`countersign state log | head`); that is no failure of ours.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

process.exitCode = await runCli(process.argv.slice(2), io, {
  serve,
  runner: runRunner,
  mcp: runMcp,
  demo,
  tokenCreate: createToken,
  tokenList: listTokens,
  tokenRevoke: revokeToken,
  compareSchemas,
});
