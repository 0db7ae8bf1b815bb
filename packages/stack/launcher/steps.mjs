/**
 * A start-up event: a step begins, succeeds or fails, or there is a note to print.
 * @typedef {{ kind: 'begin' | 'failed', name: string }
 *   | { kind: 'done', name: string, detail: string, ms: number }
 *   | { kind: 'note', text: string }} Step
 */

/**
 * Runs one start-up step and reports when it begins and how it ends.
 * @template T
 * @param {(step: Step) => void} on
 * @param {string} name
 * @param {() => Promise<T>} work
 * @param {(result: T) => string} describe
 * @returns {Promise<T>}
 */
export async function takeStep(on, name, work, describe) {
  const begun = performance.now();
  on({ kind: 'begin', name });
  try {
    const result = await work();
    on({ kind: 'done', name, detail: describe(result), ms: performance.now() - begun });
    return result;
  } catch (error) {
    on({ kind: 'failed', name });
    throw error;
  }
}
