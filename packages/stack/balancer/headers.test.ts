import { expect, test } from 'vitest';
import { requestHeaders, responseHeaders } from './headers.ts';

const client = { address: '198.51.100.7', protocol: 'http' } as const;

function sent(...raw: string[]): Record<string, string[]> {
  const out = requestHeaders(raw, client);
  const found: Record<string, string[]> = {};
  for (let index = 0; index < out.length; index += 2) {
    const name = `${out[index]}`.toLowerCase();
    found[name] = [...(found[name] ?? []), `${out[index + 1]}`];
  }
  return found;
}

test.each([
  ['X-Forwarded-For', '6.6.6.6, 10.9.8.7'],
  ['x-forwarded-for', '6.6.6.6'],
  ['X-Forwarded-Host', 'evil.example'],
  ['X-Forwarded-Proto', 'https'],
])('the client’s %s is replaced by what its socket says', (name, value) => {
  expect(sent('Host', 'shop.example', name, value, name, value)).toEqual({
    host: ['shop.example'],
    'x-forwarded-for': ['198.51.100.7'],
    'x-forwarded-proto': ['http'],
    'x-forwarded-host': ['shop.example'],
  });
});

test.each(['Forwarded', 'X-Forwarded-Port', 'X-Forwarded-Anything', 'X-Real-IP'])(
  '%s from a client is deleted',
  (name) => {
    expect(sent('Host', 'a', name, '6.6.6.6')).not.toHaveProperty(name.toLowerCase());
  },
);

test.each([
  'Connection',
  'Keep-Alive',
  'Proxy-Authorization',
  'Proxy-Connection',
  'TE',
  'Trailer',
  'Transfer-Encoding',
  'Upgrade',
  'Expect',
])('the hop-by-hop header %s is not forwarded', (name) => {
  expect(sent('Host', 'a', name, 'x')).not.toHaveProperty(name.toLowerCase());
});

test('a header named in Connection is not forwarded', () => {
  const headers = sent('Host', 'a', 'Connection', 'close, X-Secret', 'X-Secret', '1', 'X-Other', '2');
  expect(headers).not.toHaveProperty('x-secret');
  expect(headers['x-other']).toEqual(['2']);
});

test('a client cannot make the balancer drop Host, Content-Length or the forwarding headers', () => {
  const headers = sent('Host', 'a', 'Content-Length', '3', 'Connection', 'host, content-length, x-forwarded-for');
  expect(headers.host).toEqual(['a']);
  expect(headers['content-length']).toEqual(['3']);
  expect(headers['x-forwarded-for']).toEqual(['198.51.100.7']);
});

test('repeated headers are forwarded in order', () => {
  expect(sent('Host', 'a', 'Accept', 'b', 'accept', 'c').accept).toEqual(['b', 'c']);
});

test('a response keeps its headers except the hop-by-hop ones', () => {
  const headers = {
    connection: 'keep-alive, x-internal',
    'keep-alive': 'timeout=72',
    'x-internal': '1',
    'set-cookie': ['a=1', 'b=2'],
  };
  expect(responseHeaders(headers)).toEqual({ 'set-cookie': ['a=1', 'b=2'] });
});
