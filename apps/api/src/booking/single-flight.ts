/**
 * Single-flight (request coalescing): calls with the same key in one event-loop tick share one request. The next tick sends a
 * new one, so that no caller gets an answer from before its call.
 */
export function singleFlight<Details extends unknown[], Answer>(ask: (...details: Details) => Promise<Answer>) {
  let asked = new Map<string, Promise<Answer>>();
  return (name: string, ...details: Details) => {
    const known = asked.get(name);
    if (known) return known;
    if (asked.size === 0) {
      setImmediate(() => {
        asked = new Map();
      });
    }
    const answer = ask(...details);
    asked.set(name, answer);
    return answer;
  };
}
