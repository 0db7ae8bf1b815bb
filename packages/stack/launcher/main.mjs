#!/usr/bin/env node
// Checked before any other import, on which an older Node would fail with an obscure error.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(
    `MiniTickets needs Node 20.19 or later; this is ${process.versions.node}. See https://nodejs.org/en/download`,
  );
  process.exit(3);
}

const { runCommand } = await import('./commands.mjs');
process.exit(await runCommand(process.argv.slice(2)));
