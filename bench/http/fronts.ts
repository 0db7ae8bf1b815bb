import { execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, createServer, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freePort } from '@minitickets/stack/ports';
import fastify from 'fastify';

/*
 * What the product's parts are compared with: a bare route, a minimal proxy, HAProxy. Run as a program, this module is the first
 * two, in a process of their own as the tasks and the balancer are.
 */

/** Starts a Fastify with one route and nothing else, and a proxy of 20 lines in front of these tasks. */
export async function startStandIns(tasks: readonly string[]) {
  const child = fork(fileURLToPath(import.meta.url), [...tasks]);
  const [{ bare, proxy }] = (await once(child, 'message')) as [{ bare: string; proxy: string }];
  return { bare, proxy, stop: () => child.kill() };
}

/** Starts HAProxy 3.0 in a container; undefined without a container engine that runs it. */
export async function startHaproxy(tasks: readonly string[]) {
  const run = promisify(execFile);
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'minitickets-haproxy-'));
  const servers = tasks.map((url, index) => `  server task${index} ${new URL(url).host}`);
  writeFileSync(
    join(folder, 'haproxy.cfg'),
    `global
  nbthread 1
defaults
  mode http
  timeout connect 1s
  timeout client 30s
  timeout server 30s
listen tasks
  bind 127.0.0.1:${port}
  balance roundrobin
  option forwardfor
${servers.join('\n')}
`,
  );
  chmodSync(folder, 0o755);
  const remove = () => rmSync(folder, { recursive: true, force: true });
  const mount = `${folder}:/usr/local/etc/haproxy:ro`;
  try {
    const command = ['run', '--rm', '-d', '--network', 'host', '-v', mount, 'haproxy:3.0'];
    const { stdout } = await run('docker', command, { timeout: 30_000 });
    const container = stdout.trim();
    const stop = async () => {
      await run('docker', ['rm', '-f', container], { timeout: 30_000 }).catch(() => {});
      remove();
    };
    const url = `http://127.0.0.1:${port}`;
    const answers = () => fetch(`${url}/health/live`, { signal: AbortSignal.timeout(1_000) }).then(({ ok }) => ok);
    for (let attempt = 0; attempt < 20; attempt += 1) {
      if (await answers().catch(() => false)) return { url, stop };
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
    await stop();
    return undefined;
  } catch {
    remove();
    return undefined;
  }
}

async function serveStandIns(tasks: readonly string[]) {
  const bare = fastify();
  bare.get('/', async () => ({ hello: 'world' }));
  await bare.listen({ host: '127.0.0.1', port: 0 });

  const agent = new Agent({ keepAlive: true });
  const ports = tasks.map((task) => Number(new URL(task).port));
  let turn = 0;
  const proxy = createServer(({ method, url, headers }, response) => {
    const port = ports[turn++ % ports.length];
    const call = send({ agent, host: '127.0.0.1', port, method, path: url, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    call.on('error', () => response.destroy());
    call.end();
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const urlOf = (address: unknown) => `http://127.0.0.1:${(address as AddressInfo).port}`;
  process.send?.({ bare: urlOf(bare.server.address()), proxy: urlOf(proxy.address()) });
  process.once('disconnect', () => process.exit());
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await serveStandIns(process.argv.slice(2));
