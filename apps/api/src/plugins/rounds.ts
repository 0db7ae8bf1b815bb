import type { Api } from '../deps.ts';

/**
 * Does something again and again while the application runs, from when it is ready until it closes. A round that takes longer
 * than `everyMs` is waited for, never overtaken; a failed one is the round's own affair, so it must not throw.
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
