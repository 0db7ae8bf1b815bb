import type { Api } from './deps.ts';

/**
 * Runs a function at an interval, from when the application is ready until it closes. Runs never overlap: the next one waits
 * for a slow one. `round` must not throw.
 */
export function repeatRounds(app: Api, everyMs: number, round: () => Promise<void>) {
  let running: Promise<void> | undefined;
  const next = () => {
    running ??= round().finally(() => {
      running = undefined;
    });
    return running;
  };
  const timer = setInterval(next, everyMs).unref();
  app.addHook('onReady', next);
  app.addHook('onClose', async () => {
    clearInterval(timer);
    await running;
  });
}
