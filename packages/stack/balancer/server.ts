import { parseArgs } from 'node:util';
import { startBalancer } from './balancer.ts';

// The balancer's process. SIGTERM or SIGINT drains it; a second signal ends it at once.
const { values } = parseArgs({
  options: {
    host: { type: 'string', default: 'localhost' },
    port: { type: 'string', default: '8080' },
    task: { type: 'string', multiple: true, default: [] },
    lab: { type: 'string' },
    front: { type: 'string', multiple: true, default: [] },
    'public-url': { type: 'string' },
  },
});

const log = (line: string) => console.log(`${new Date().toISOString()} ${line}`);
const balancer = await startBalancer({
  host: values.host,
  port: Number(values.port),
  tasks: values.task,
  lab: values.lab,
  trustedFront: values.front,
  // Not an argument, which every user of the machine can read.
  proxySecret: process.env.PROXY_SECRET,
  publicUrl: values['public-url'],
  log,
});
log(`listening on ${balancer.url}`);

let stopping = false;
const stop = () => {
  if (stopping) process.exit(1);
  stopping = true;
  log('draining');
  void balancer.stop().then(() => log('stopped'));
};
process.on('SIGTERM', stop);
process.on('SIGINT', stop);
