import { connect } from 'node:net';

/**
 * Sends Redis one command and returns its raw reply: the first line, such as `+PONG`, or a bulk string with its length. It needs
 * no dependency, so it can check or stop a server before anything is installed.
 * @param {string} url with user and password, if Redis requires them
 * @param {string} command without spaces inside its words
 * @param {number} [timeoutMs]
 * @returns {Promise<string>} empty when the server closed the connection without a reply
 * @throws if the URL is invalid, if it cannot be reached, or after `timeoutMs`
 */
export async function askRedis(url, command, timeoutMs = 1000) {
  const { hostname: host, port, username, password } = new URL(url);
  const logIn = password ? `AUTH ${decodeURIComponent(username) || 'default'} ${decodeURIComponent(password)}\r\n` : '';
  return await new Promise((resolve, reject) => {
    const socket = connect({ port: Number(port || 6379), host });
    let reply = '';
    let isAuthenticated = logIn === '';
    socket.setTimeout(timeoutMs, () => socket.destroy(new Error(`No reply to ${command} within ${timeoutMs} ms.`)));
    socket.once('error', reject);
    socket.once('close', () => resolve(reply.trim()));
    socket.once('connect', () => socket.write(`${logIn}${command}\r\n`));
    socket.setEncoding('latin1').on('data', (text) => {
      reply += text;
      if (!isAuthenticated && reply.startsWith('+OK\r\n')) {
        isAuthenticated = true;
        reply = reply.slice('+OK\r\n'.length);
      }
      const end = reply.indexOf('\r\n');
      const bulkLength = /^\$\d/.test(reply) ? Number(reply.slice(1, end)) + 2 : 0;
      if (end === -1 || reply.length < end + 2 + bulkLength) return;
      resolve(reply.slice(0, bulkLength > 0 ? end + 2 + bulkLength : end));
      socket.destroy();
    });
  });
}
