import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { createServer, request as requestOverTls } from 'node:https';
import { generate } from 'selfsigned';
import { onTestFinished } from 'vitest';

export type Certificate = { name: string; cert: string; key: string };

/** Makes a certificate for a host name, signed by itself. */
export async function selfSigned(name: string): Promise<Certificate> {
  const { cert, private: key } = await generate([{ name: 'commonName', value: name }], {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: name }] }],
  });
  return { name, cert, key };
}

/** Starts a proxy that ends TLS and forwards to another port of this machine, as nginx or a CDN does. */
export async function startTlsFront({ cert, key }: Certificate, { port, to }: { port: number; to: number }) {
  const front = createServer({ cert, key }, (incoming, answer) => {
    const { method, url: path, socket } = incoming;
    // As such fronts do: the client's own entries stay, and the socket's address comes last.
    const forwardedFor = [incoming.headers['x-forwarded-for'] ?? [], socket.remoteAddress].flat().join(', ');
    const headers = { ...incoming.headers, 'x-forwarded-for': forwardedFor };
    const onward = request({ host: '127.0.0.1', port: to, method, path, headers }, (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(answer);
    });
    onward.on('error', () => answer.destroy());
    incoming.pipe(onward);
  });
  onTestFinished(() => {
    front.close();
    front.closeAllConnections();
  });
  front.listen(port, '127.0.0.1');
  await once(front, 'listening');
}

/** A client that checks the certificate and reaches its host at a port of this machine. */
export function tlsClient({ name, cert }: Certificate, port: number, { from = '127.0.0.1' } = {}) {
  return async (path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const call = requestOverTls({
      host: '127.0.0.1',
      localAddress: from,
      port,
      path,
      servername: name,
      ca: cert,
      method: body === undefined ? 'GET' : 'POST',
      headers: { host: `${name}:${port}`, 'content-type': 'application/json', ...headers },
      agent: false,
      timeout: 20_000,
    });
    call.on('timeout', () => call.destroy(new Error('no answer within 20 s')));
    call.end(body === undefined ? undefined : JSON.stringify(body));
    const [answer] = (await once(call, 'response')) as [IncomingMessage];
    let text = '';
    for await (const chunk of answer.setEncoding('utf8')) text += chunk;
    return { status: answer.statusCode, headers: answer.headers, text };
  };
}

/** A registration that costs no log-in. */
export const newAccount = () => ({
  email: `${crypto.randomUUID()}@example.test`,
  password: 'a password for a test',
  name: 'A customer',
});

/** A log-in that costs a token of the client's address. */
export const wrongLogIn = () => ({ email: `${crypto.randomUUID()}@example.test`, password: 'a guess' });

/** Logs in with a wrong password. @returns the tokens that are left in the client's bucket; infinity if no limiter answered in time */
export async function remainingLogIns(call: ReturnType<typeof tlsClient>, headers: Record<string, string> = {}) {
  const { headers: answered } = await call('/v1/sessions', wrongLogIn(), headers);
  return Number(answered['x-ratelimit-remaining'] ?? Number.POSITIVE_INFINITY);
}
