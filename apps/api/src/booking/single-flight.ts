/**
 * Questions with the same name that come up in one turn of the event loop get one answer. In the next turn it is asked anew,
 * so that nobody is told what was true before they asked.
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
