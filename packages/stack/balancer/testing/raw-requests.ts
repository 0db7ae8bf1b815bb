/** What a client may send to a balancer, byte by byte, and how it is answered. Latin-1: one character is one byte. */
export type RawRequest = {
  what: string;
  bytes: string;
  /** The statuses of all responses on the connection, in order. */
  statuses: readonly number[];
  /** The requests that a task may read, in order: nothing that hides in the body of another (request smuggling). */
  reads: readonly string[];
};

type Refused = [what: string, bytes: string, status?: number];
type Served = [what: string, bytes: string, status?: number, reads?: string];

const refused = (rows: Refused[]): RawRequest[] =>
  rows.map(([what, bytes, status = 400]) => ({ what, bytes, statuses: [status], reads: [] }));
const served = (rows: Served[]): RawRequest[] =>
  rows.map(([what, bytes, status = 200, reads = 'GET /problems/busy']) => ({
    ...{ what, bytes, statuses: [status], reads: [reads] },
  }));

const LIVE = '/problems/busy';
const lines = (...all: string[]) => `${all.join('\r\n')}\r\n\r\n`;
const host = 'Host: localhost';
const close = 'Connection: close';

/** A read with these header lines. */
const get = (...headers: string[]) => lines(`GET ${LIVE} HTTP/1.1`, host, close, ...headers);
/** A read of this target. */
const at = (target: string) => lines(`GET ${target} HTTP/1.1`, host, close);
/** A read with this request line. */
const line = (requestLine: string) => lines(requestLine, host, close);
/** A read with these `Host` lines. */
const hosted = (...hosts: string[]) => lines(`GET ${LIVE} HTTP/1.1`, ...hosts, close);
/** A write with these header lines and this body. No operation has its address, so that its body means nothing. */
const post = (headers: string[], body = 'abc') =>
  `${lines('POST /v1/nothing HTTP/1.1', host, close, ...headers)}${body}`;
const length = (value: string, body = 'abc') => post([`Content-Length: ${value}`], body);
const encoded = (value: string) => post([`Transfer-Encoding: ${value}`], CHUNKS);
const chunked = (body: string) => post(['Transfer-Encoding: chunked'], body);

const CHUNKS = '3\r\nabc\r\n0\r\n\r\n';
/** A request that no task may ever read: it is the body of another, or its rest. */
const HIDDEN = lines('GET /hidden HTTP/1.1', host, close);
const chunkOf = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;
const POSTED = 'POST /v1/nothing';

const lengths = [
  ...served([
    ['a length', length('3'), 404, POSTED],
    ['a length with a space before and after it', length(' 3 '), 404, POSTED],
    ['a length after a tab', length('\t3'), 404, POSTED],
    ['a length with leading zeros', length('003'), 404, POSTED],
    ['a length of zero', length('0', ''), 404, POSTED],
    ['the name of the length in capitals', post(['CONTENT-LENGTH: 3']), 404, POSTED],
    ['a body of a read', `${get('Content-Length: 3')}abc`],
    ['a hidden request as a body', length(String(HIDDEN.length), HIDDEN), 404, POSTED],
    ['a hidden request as the body of a read', `${get(`Content-Length: ${HIDDEN.length}`)}${HIDDEN}`],
  ]),
  ...refused([
    ['a length with a sign', length('+3')],
    ['a negative length', length('-1')],
    ['a length and a letter', length('3a')],
    ['a hexadecimal length', length('0x3')],
    ['a decimal fraction as length', length('3.0')],
    ['a length in exponent form', length('3e0')],
    ['two lengths in one, equal', length('3, 3')],
    ['two lengths in one', length('3, 4')],
    ['two lengths with a space', length('3 3')],
    ['an empty length', length('')],
    ['a length in quotes', length('"3"')],
    ['a length with an underscore', length('1_0')],
    ['a length of 2^64 and more', length('18446744073709551619')],
    ['a length of 30 digits', length('9'.repeat(30))],
    ['a length with a NUL', length('3\0')],
    ['a length in other digits', length('\xb3')],
    ['a space before the colon of the length', post(['Content-Length : 3'])],
    ['two length lines, equal', post(['Content-Length: 3', 'Content-Length: 3'])],
    ['two length lines', post(['Content-Length: 3', 'Content-Length: 4'])],
    ['two length lines in other case', post(['Content-Length: 3', 'content-length: 0'])],
    ['a folded length', post(['Content-Length:', ' 3'])],
    ['a length of 65537', length('65537'), 413],
    ['a length of 2^32', length('4294967296'), 413],
    ['a length of 2^53', length('9007199254740992'), 413],
  ]),
];

const encodings = [
  ...served([
    ['a chunked body', encoded('chunked'), 404, POSTED],
    ['"Chunked"', encoded('Chunked'), 404, POSTED],
    ['"CHUNKED"', encoded('CHUNKED'), 404, POSTED],
    ['a chunked body of a read', `${get('Transfer-Encoding: chunked')}${CHUNKS}`],
    ['a hidden request in a chunk', chunked(`${chunkOf(HIDDEN)}0\r\n\r\n`), 404, POSTED],
  ]),
  ...refused([
    ['an unknown encoding', encoded('cow')],
    ['identity', encoded('identity')],
    ['gzip alone', encoded('gzip')],
    ['gzip before chunked', encoded('gzip, chunked')],
    ['chunked before gzip', encoded('chunked, gzip')],
    ['chunked before identity', encoded('chunked, identity')],
    ['chunked twice', encoded('chunked, chunked')],
    ['an x before chunked', encoded('xchunked')],
    ['x-chunked', encoded('x-chunked')],
    ['chunked in quotes', encoded('"chunked"')],
    ['chunked with a parameter', encoded('chunked;q=1')],
    ['chunked in two words', encoded('chun ked')],
    ['chunked after a comma', encoded(',chunked')],
    ['chunked before a comma', encoded('chunked,')],
    ['chunked after a vertical tab', encoded('\vchunked')],
    ['chunked before a form feed', encoded('chunked\f')],
    ['chunked before a NUL', encoded('chunked\0')],
    ['chunked before a no-break space', encoded('chunked\xa0')],
    ['an empty encoding', encoded('')],
    ['a space before the colon of the encoding', post(['Transfer-Encoding : chunked'], CHUNKS)],
    ['a folded encoding', post(['Transfer-Encoding:', ' chunked'], CHUNKS)],
    ['an encoding after a bare line feed', post(['X: a\nTransfer-Encoding: chunked'], CHUNKS)],
    ['an encoding after a bare carriage return', post(['X: a\rTransfer-Encoding: chunked'], CHUNKS)],
    ['two encodings, the second unknown', post(['Transfer-Encoding: chunked', 'Transfer-Encoding: cow'], CHUNKS)],
    ['two encodings, the first unknown', post(['Transfer-Encoding: cow', 'Transfer-Encoding: chunked'], CHUNKS)],
    ['two encodings, equal', post(['Transfer-Encoding: chunked', 'Transfer-Encoding: chunked'], CHUNKS)],
    ['a length, then an encoding (CL.TE)', post(['Content-Length: 6', 'Transfer-Encoding: chunked'], `0\r\n\r\nG`)],
    [
      'an encoding, then a length (TE.CL)',
      post(['Transfer-Encoding: chunked', 'Content-Length: 3'], `${chunkOf(HIDDEN)}0\r\n\r\n`),
    ],
    ['a length of zero and an encoding', post(['Content-Length: 0', 'Transfer-Encoding: chunked'], CHUNKS)],
    ['a length and an unknown encoding', post(['Content-Length: 3', 'Transfer-Encoding: cow'])],
    [
      'an encoding in HTTP/1.0 with a length',
      `${lines('POST /v1/nothing HTTP/1.0', host, 'Content-Length: 3', 'Transfer-Encoding: chunked')}${CHUNKS}`,
    ],
  ]),
];

const chunks = [
  ...served([
    ['a chunk size with a leading zero', chunked('03\r\nabc\r\n0\r\n\r\n'), 404, POSTED],
    ['a chunk size in capitals', chunked(`A\r\n${'a'.repeat(10)}\r\n0\r\n\r\n`), 404, POSTED],
    ['a last chunk of several zeros', chunked('3\r\nabc\r\n000\r\n\r\n'), 404, POSTED],
    ['a chunk extension', chunked('3;name=value\r\nabc\r\n0\r\n\r\n'), 404, POSTED],
    ['a quoted chunk extension', chunked('3;name="a;b"\r\nabc\r\n0\r\n\r\n'), 404, POSTED],
    ['an extension of the last chunk', chunked('3\r\nabc\r\n0;end\r\n\r\n'), 404, POSTED],
    ['a trailer', chunked('3\r\nabc\r\n0\r\nX-Sum: 1\r\n\r\n'), 404, POSTED],
    ['a trailer that names a host', chunked('3\r\nabc\r\n0\r\nHost: evil.example\r\n\r\n'), 404, POSTED],
  ]),
  ...refused([
    ['a chunk size with a prefix', chunked('0x3\r\nabc\r\n0\r\n\r\n')],
    ['a chunk size with a sign', chunked('+3\r\nabc\r\n0\r\n\r\n')],
    ['a negative chunk size', chunked('-3\r\nabc\r\n0\r\n\r\n')],
    ['a chunk size after a space', chunked(' 3\r\nabc\r\n0\r\n\r\n')],
    ['a chunk size that is no number', chunked('banana\r\nabc\r\n0\r\n\r\n')],
    ['a chunk size with a letter', chunked('3g\r\nabc\r\n0\r\n\r\n')],
    ['a chunk size with an underscore', chunked('0_3\r\nabc\r\n0\r\n\r\n')],
    ['a chunk size with a comma', chunked('3,3\r\nabc\r\n0\r\n\r\n')],
    ['an empty chunk size', chunked('\r\nabc\r\n0\r\n\r\n')],
    ['a chunk size of 2^64 and more', chunked('10000000000000003\r\nabc\r\n0\r\n\r\n')],
    ['a chunk size of 40 digits', chunked(`${'f'.repeat(40)}\r\nabc\r\n0\r\n\r\n`)],
    ['a chunk size with a NUL', chunked('3\0\r\nabc\r\n0\r\n\r\n')],
    ['a chunk size before a bare line feed', chunked('3\nabc\r\n0\r\n\r\n')],
    ['a chunk size before a bare carriage return', chunked('3\rabc\r\n0\r\n\r\n')],
    ['a chunk extension with a bare line feed', chunked('3;a\nb\r\nabc\r\n0\r\n\r\n')],
    ['a chunk longer than its size', chunked('3\r\nabcd\r\n0\r\n\r\n')],
    ['a chunk shorter than its size', chunked('4\r\nabc\r\n0\r\n\r\n')],
    ['a chunk before a bare line feed', chunked('3\r\nabc\n0\r\n\r\n')],
    ['a chunk with nothing after it', chunked('3\r\nabc0\r\n\r\n')],
    ['a trailer that names a length', chunked('3\r\nabc\r\n0\r\nContent-Length: 9\r\n\r\n')],
    ['a trailer without a colon', chunked('3\r\nabc\r\n0\r\nbanana\r\n\r\n')],
    ['a trailer with a bare line feed', chunked('3\r\nabc\r\n0\r\nX: a\nY: b\r\n\r\n')],
  ]),
];

const requestLines = [
  ...served([
    ['an empty line before the request', `\r\n${get()}`],
    ['a method that no operation has', line(`PROPFIND ${LIVE} HTTP/1.1`), 404, `PROPFIND ${LIVE}`],
    ['TRACE', line(`TRACE ${LIVE} HTTP/1.1`), 405, `TRACE ${LIVE}`],
    ['a DELETE of a read-only address', line(`DELETE ${LIVE} HTTP/1.1`), 405, `DELETE ${LIVE}`],
    ['OPTIONS', line(`OPTIONS ${LIVE} HTTP/1.1`), 204, `OPTIONS ${LIVE}`],
    ['HEAD', line(`HEAD ${LIVE} HTTP/1.1`), 200, `HEAD ${LIVE}`],
    ['HTTP/1.0', lines(`GET ${LIVE} HTTP/1.0`, host)],
    ['HTTP/1.0 without a host', lines(`GET ${LIVE} HTTP/1.0`)],
  ]),
  ...refused([
    ['a method in lower case', line(`get ${LIVE} HTTP/1.1`)],
    ['a method in mixed case', line(`GeT ${LIVE} HTTP/1.1`)],
    ['an unknown method', line(`BANANA ${LIVE} HTTP/1.1`)],
    ['an empty method', line(` ${LIVE} HTTP/1.1`)],
    ['a method with a NUL', line(`G\0T ${LIVE} HTTP/1.1`)],
    ['a method of 9,000 letters', line(`${'A'.repeat(9000)} ${LIVE} HTTP/1.1`)],
    ['a space before the method', line(` GET ${LIVE} HTTP/1.1`)],
    ['CONNECT', lines('CONNECT 127.0.0.1:5432 HTTP/1.1', 'Host: 127.0.0.1:5432')],
    ['CONNECT to a path', line(`CONNECT ${LIVE} HTTP/1.1`)],
    ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['HTTP/0.9', `GET ${LIVE}\r\n\r\n`],
    ['HTTP/1.2', line(`GET ${LIVE} HTTP/1.2`)],
    ['HTTP/2.0', line(`GET ${LIVE} HTTP/2.0`)],
    ['HTTP/3', line(`GET ${LIVE} HTTP/3`)],
    ['HTTP/1', line(`GET ${LIVE} HTTP/1`)],
    ['HTTP/1.10', line(`GET ${LIVE} HTTP/1.10`)],
    ['HTTP/11', line(`GET ${LIVE} HTTP/11`)],
    ['a version with a comma', line(`GET ${LIVE} HTTP/1,1`)],
    ['a version in lower case', line(`GET ${LIVE} http/1.1`)],
    ['another protocol', line(`GET ${LIVE} ICY/1.1`)],
    ['text after the version', line(`GET ${LIVE} HTTP/1.1 x`)],
    ['a tab before the version', line(`GET ${LIVE}\tHTTP/1.1`)],
    ['no target', line('GET HTTP/1.1')],
    ['a request line that ends in a bare line feed', `GET ${LIVE} HTTP/1.1\n${host}\n\n`],
    ['a TLS greeting', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n'],
    ['a mail server’s greeting', 'EHLO mail.example\r\n\r\n'],
    ['a command of Redis', '*1\r\n$4\r\nPING\r\n'],
    ['a start-up message of PostgreSQL', '\0\0\0\x08\x04\xd2\x16\x2f'],
    ['a proxy protocol header', `PROXY TCP4 6.6.6.6 127.0.0.1 1 80\r\n${get()}`],
    ['NUL bytes', '\0'.repeat(64)],
  ]),
];

const targets = [
  ...served([
    ['a query', at(`${LIVE}?a=b`), 200, `GET ${LIVE}?a=b`],
    ['an empty query', at(`${LIVE}?`), 200, `GET ${LIVE}?`],
    ['a query with a lone percent sign', at(`${LIVE}?a=%`), 400, `GET ${LIVE}?a=%`],
    ['a query with a NUL, encoded', at(`${LIVE}?a=%00`), 200, `GET ${LIVE}?a=%00`],
    ['an encoded letter', at('/problems/%62usy'), 200, 'GET /problems/%62usy'],
    ['an encoded slash', at('/problems%2Fbusy'), 404, 'GET /problems%2Fbusy'],
    ['a doubled slash', at('//problems/busy'), 404, 'GET //problems/busy'],
    ['a slash at the end', at(`${LIVE}/`), 404, `GET ${LIVE}/`],
    ['capitals', at('/PROBLEMS/busy'), 404, 'GET /PROBLEMS/busy'],
    ['a backslash', at('/problems\\busy'), 404, 'GET /problems\\busy'],
    ['dots', at('/v1/../problems/busy'), 404, 'GET /v1/../problems/busy'],
    ['encoded dots', at('/v1/%2e%2e/problems/busy'), 404, 'GET /v1/%2e%2e/problems/busy'],
    ['dots to a system file', at('/../../../etc/passwd'), 404, 'GET /../../../etc/passwd'],
    ['encoded dots to a system file', at('/..%2f..%2fetc%2fpasswd'), 404, 'GET /..%2f..%2fetc%2fpasswd'],
    ['a path parameter', at(`${LIVE};jsessionid=1`), 404, `GET ${LIVE};jsessionid=1`],
    ['an encoded NUL', at('/problems/busy%00'), 404, 'GET /problems/busy%00'],
    ['an encoded line feed', at('/problems/busy%0d%0aX:%20y'), 404, 'GET /problems/busy%0d%0aX:%20y'],
    ['a percent sign without digits', at('/problems/%zz'), 404, 'GET /problems/%zz'],
    ['an encoding that is not UTF-8', at('/problems/%ff'), 404, 'GET /problems/%ff'],
    ['an overlong encoding of a slash', at('/problems%c0%afbusy'), 404, 'GET /problems%c0%afbusy'],
    ['the absolute form', at(`http://localhost${LIVE}`)],
    ['the absolute form with https', at(`https://localhost${LIVE}`)],
    ['the absolute form in capitals', at(`HTTP://LOCALHOST${LIVE}`)],
    [
      'the absolute form of an allowed host, and a foreign Host',
      lines(`GET http://localhost${LIVE} HTTP/1.1`, 'Host: evil.example', close),
    ],
    ['an address of two slashes and a host', at('//evil.example/'), 404, 'GET //evil.example/'],
    ['an address of 8 KiB', at(`/${'a'.repeat(8192)}`), 404, `GET /${'a'.repeat(8192)}`],
  ]),
  ...refused([
    ['the asterisk form', line('OPTIONS * HTTP/1.1')],
    ['the authority form', at('localhost:80')],
    ['a target without a slash', at('problems/busy')],
    ['an absolute form without a host', at('http:///problems/busy')],
    ['an absolute form with a user', at(`http://admin@localhost${LIVE}`)],
    ['an absolute form of another scheme', at(`ftp://localhost${LIVE}`)],
    ['an absolute form of a file', at('file:///etc/passwd')],
    ['an absolute form of a foreign host', at(`http://evil.example${LIVE}`), 421],
    ['an absolute form of a foreign port and host', at(`http://evil.example:8080${LIVE}`), 421],
    ['a NUL in the target', at(`${LIVE}\0`)],
    ['a tab in the target', at(`${LIVE}\t`)],
    ['a space in the target', at('/problems/busy now')],
    ['a control character in the target', at(`${LIVE}\x7f`)],
    ['an address of 17 KiB', at(`/${'a'.repeat(17_000)}`), 414],
    ['a query of 17 KiB', at(`${LIVE}?${'a'.repeat(17_000)}`), 414],
  ]),
];

const hosts = [
  ...served([
    ['an IPv4 host', hosted('Host: 127.0.0.1')],
    ['an IPv4 host and a port', hosted('Host: 127.0.0.1:8080')],
    ['an IPv6 host', hosted('Host: [::1]:8080')],
    ['a host in capitals', hosted('Host: LOCALHOST')],
    ['a host with a port', hosted('Host: localhost:1')],
    ['spaces around a host', hosted('Host:   localhost  ')],
  ]),
  ...refused([
    ['no host', hosted()],
    ['two hosts', hosted('Host: localhost', 'Host: evil.example')],
    ['two hosts, equal', hosted('Host: localhost', 'Host: localhost')],
    ['a space before the colon of a host', hosted('Host : localhost')],
    ['a host with a NUL', hosted('Host: localhost\0')],
    ['a folded host', hosted('Host:', ' localhost')],
    ['an empty host', hosted('Host:'), 421],
    ['a foreign host', hosted('Host: evil.example'), 421],
    ['a host that ends like an allowed one', hosted('Host: evil-localhost'), 421],
    ['a host that starts like an allowed one', hosted('Host: localhost.evil.example'), 421],
    ['a host with a user', hosted('Host: localhost@evil.example'), 421],
    ['a host with a path', hosted('Host: evil.example/localhost'), 421],
    ['a host with a fragment', hosted('Host: evil.example#localhost'), 421],
    ['two hosts in one', hosted('Host: localhost, evil.example'), 421],
    ['a host with a space', hosted('Host: localhost evil.example'), 421],
    ['a host with a port that is no number', hosted('Host: localhost:http'), 421],
    ['a broken IPv6 host', hosted('Host: [::1'), 421],
    ['a name that resolves to this machine', hosted('Host: 127.0.0.1.nip.example'), 421],
  ]),
];

const headers = [
  ...served([
    ['bytes beyond ASCII in a value', get('X: \xfc\xff')],
    ['an empty value', get('X:')],
    ['a header without a space after the colon', get('X:1')],
    ['a value of 8 KiB', get(`X: ${'a'.repeat(8192)}`)],
    ['80 headers', get(...Array.from({ length: 80 }, (_, index) => `X-${index}: ${index}`))],
    ['a method override', get('X-HTTP-Method-Override: DELETE', 'X-Method-Override: DELETE')],
    ['another address in a header', get('X-Original-URL: /v1/admin/users', 'X-Rewrite-URL: /v1/admin/users')],
    ['a forwarded host', get('X-Forwarded-Host: evil.example', 'Forwarded: host=evil.example')],
    ['a guessed secret of the balancer', get('X-Forwarded-Secret: guessed', 'X-Forwarded-For: 6.6.6.6')],
    ['a Connection that names the host', get('Connection: host')],
    ['a Connection that names the length', post(['Content-Length: 3', 'Connection: content-length']), 404, POSTED],
    ['a Connection that names the forwarding headers', get('Connection: x-forwarded-for, x-forwarded-secret')],
    [
      'an upgrade to a WebSocket',
      lines(`GET ${LIVE} HTTP/1.1`, host, 'Connection: upgrade, close', 'Upgrade: websocket'),
    ],
    [
      'an upgrade to HTTP/2',
      lines(
        `GET ${LIVE} HTTP/1.1`,
        host,
        'Connection: upgrade, http2-settings, close',
        'Upgrade: h2c',
        'HTTP2-Settings: AAMAAABk',
      ),
    ],
    ['TE and Trailer', get('TE: trailers, deflate', 'Trailer: X-Sum')],
    ['Proxy-Connection', get('Proxy-Connection: keep-alive', 'Proxy-Authorization: Basic eDp5')],
    ['Keep-Alive', get('Keep-Alive: timeout=99999999999')],
    ['a range', get('Range: bytes=0-0,1-1,2-2')],
    ['a condition', get('If-None-Match: *', 'If-Modified-Since: banana')],
    ['a cookie of nothing', get('Cookie: ;;;=;sid')],
    ['a name and a password', get('Authorization: Basic eDp5')],
  ]),
  ...refused([
    ['a header without a colon', get('banana')],
    ['a header without a name', get(': value')],
    ['a name with a space', get('X Y: 1')],
    ['a name with a NUL', get('X\0: 1')],
    ['a name beyond ASCII', get('X\xfc: 1')],
    ['a name in brackets', get('(X): 1')],
    ['a value with a NUL', get('X: a\0b')],
    ['a value with a bare carriage return', get('X: a\rb')],
    ['a value with a bare line feed', get('X: a\nY: b')],
    ['a folded value', get('X: a', ' b')],
    ['a first header that is folded', lines(`GET ${LIVE} HTTP/1.1`, ' folded: 1', host, close)],
    ['a value of 17 KiB', get(`X: ${'a'.repeat(17_000)}`), 431],
    ['a name of 17 KiB', get(`${'X'.repeat(17_000)}: 1`), 431],
    ['a cookie of 17 KiB', get(`Cookie: sid=${'a'.repeat(17_000)}`), 431],
    [
      'headers of 20 KiB together',
      get(...Array.from({ length: 80 }, (_, index) => `X${index}: ${'a'.repeat(250)}`)),
      431,
    ],
    ['150 headers', get(...Array.from({ length: 150 }, (_, index) => `X${index}: 1`))],
    ['2,100 headers', get(...Array.from({ length: 2100 }, (_, index) => `X${index}:1`))],
    ['an unknown expectation', get('Expect: banana')],
  ]),
];

const bodies = [
  ...served([
    ['a body of 64 KiB', length('65536', 'a'.repeat(65_536)), 404, POSTED],
    ['a body that is compressed, it says', post(['Content-Encoding: gzip', 'Content-Length: 3']), 404, POSTED],
  ]),
  // It is streamed, so that a task has read its beginning.
  ...served([
    ['a chunked body of more than 64 KiB', chunked(`10001\r\n${'a'.repeat(65_537)}\r\n0\r\n\r\n`), 413, POSTED],
  ]),
];

/** Several requests, or one and something else, on one connection. */
const keptAlive = lines(`GET ${LIVE} HTTP/1.1`, host);
const connections: RawRequest[] = [
  { what: 'two reads', bytes: keptAlive + get(), statuses: [200, 200], reads: [`GET ${LIVE}`, `GET ${LIVE}`] },
  {
    what: 'a write and a read',
    bytes: `${lines('POST /v1/nothing HTTP/1.1', host, 'Content-Length: 3')}abc${get()}`,
    ...{ statuses: [404, 200], reads: [POSTED, `GET ${LIVE}`] },
  },
  {
    what: 'a chunked write and a read',
    bytes: `${lines('POST /v1/nothing HTTP/1.1', host, 'Transfer-Encoding: chunked')}${CHUNKS}${get()}`,
    ...{ statuses: [404, 200], reads: [POSTED, `GET ${LIVE}`] },
  },
  {
    what: 'a read and text that is no request',
    bytes: `${keptAlive}banana\r\n\r\n`,
    ...{ statuses: [200, 400], reads: [`GET ${LIVE}`] },
  },
  {
    what: 'a length with an underscore in its name, so that the body is no request',
    bytes: `${lines('POST /v1/nothing HTTP/1.1', host, 'Content_Length: 3')}abc\r\n\r\n`,
    ...{ statuses: [404, 400], reads: [POSTED] },
  },
  {
    what: 'an expectation and another one',
    bytes: get('Expect: 100-continue, banana'),
    ...{ statuses: [100, 400], reads: [] },
  },
  {
    what: 'a request that asks to close, and one behind it',
    bytes: get() + HIDDEN,
    ...{ statuses: [200], reads: [`GET ${LIVE}`] },
  },
  {
    what: 'a request refused for its framing, and one behind it',
    bytes: `${post(['Content-Length: 3', 'Transfer-Encoding: chunked'], CHUNKS)}${HIDDEN}`,
    ...{ statuses: [400], reads: [] },
  },
];

/** Every raw request. SECURITY.md names their number. */
export const rawRequests: readonly RawRequest[] = [
  ...lengths,
  ...encodings,
  ...chunks,
  ...requestLines,
  ...targets,
  ...hosts,
  ...headers,
  ...bodies,
  ...connections,
];
