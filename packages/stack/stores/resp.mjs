import { connect } from 'node:net';

/**
 * Sends Redis one command and gives its answer as it comes: the first line, like `+PONG`, or a bulk string with its length. Enough
 * to ask a server of our own whether it is ready or to tell it to end, before anything is installed.
 * @param {number} port on 127.0.0.1
 * @param {string} command without spaces inside its words
 * @returns {Promise<string>} empty when the server closed the connection without an answer
 * @throws if it cannot be reached, or after `timeoutMs`
 */
export function askRedis(port, command, timeoutMs = 1000) {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1' });
    let answer = '';
    socket.setTimeout(timeoutMs, () => socket.destroy(new Error(`No answer to ${command} within ${timeoutMs} ms.`)));
    socket.once('error', reject);
    socket.once('close', () => resolve(answer.trim()));
    socket.once('connect', () => socket.write(`${command}\r\n`));
    socket.setEncoding('latin1').on('data', (text) => {
      answer += text;
      const end = answer.indexOf('\r\n');
      const bulkLength = /^\$\d/.test(answer) ? Number(answer.slice(1, end)) + 2 : 0;
      if (end === -1 || answer.length < end + 2 + bulkLength) return;
      resolve(answer.slice(0, bulkLength > 0 ? end + 2 + bulkLength : end));
      socket.destroy();
    });
  });
}
