import type { ServerResponse } from 'node:http';
import type { Dispatcher, Pool } from 'undici';
import { responseHeaders } from './headers.ts';

class AbortedError extends Error {
  override name = 'AbortedError';
}

/**
 * One call to a task. It uses undici's dispatcher instead of `request`, and no AbortSignal: promises, a stream and event targets
 * for each response cost more than forwarding it.
 */
export class Attempt {
  #aborted: AbortedError | undefined;
  #controller: Dispatcher.DispatchController | undefined;

  /** Ends the call: the connection to the task is closed. Before it is sent, it is not sent. */
  abort() {
    this.#aborted ??= new AbortedError('the call was aborted');
    this.#controller?.abort(this.#aborted);
  }

  /**
   * Streams a request to a task and its response to the client. If one side breaks off, so does the other: a truncated response
   * must not look complete.
   * @param onHeard called when the response begins
   * @returns when the response has been handed on; rejects if none has begun
   */
  send(pool: Pool, options: Dispatcher.DispatchOptions, response: ServerResponse, onHeard: () => void): Promise<void> {
    return new Promise((resolve, reject) => {
      let hasBegun = false;
      pool.dispatch(options, {
        onRequestStart: (controller) => {
          this.#controller = controller;
          if (this.#aborted) controller.abort(this.#aborted);
        },
        onResponseStart: (controller, status, headers) => {
          // Interim responses are between the task and us (RFC 9110, section 15.2).
          if (status < 200) return;
          hasBegun = true;
          onHeard();
          if (response.destroyed) controller.abort(new AbortedError('the client left'));
          else begin(response, status, headers);
        },
        onResponseData: (controller, chunk) => {
          if (response.destroyed) return controller.abort(new AbortedError('the client left'));
          if (response.write(chunk)) return;
          controller.pause();
          response.once('drain', () => controller.resume());
        },
        onResponseEnd: () => {
          response.end();
          resolve();
        },
        onResponseError: (_controller, error) => {
          if (!hasBegun) return reject(error);
          response.destroy();
          resolve();
        },
      });
    });
  }
}

/** Statuses whose responses have no body. */
const BODILESS = new Set([204, 304]);

function begin(response: ServerResponse, status: number, from: Parameters<typeof responseHeaders>[0]) {
  const headers = responseHeaders(from);
  if ('content-length' in headers || BODILESS.has(status)) {
    response.writeHead(status, headers);
    return;
  }
  // An event stream starts before its first event. The balancer recognises it by the header when it stops.
  response.statusCode = status;
  response.setHeaders(new Map(Object.entries(headers)));
  response.flushHeaders();
}
