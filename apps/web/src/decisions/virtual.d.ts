// What the build reads from packages/decisions: see build/decisions-plugin.ts. An `import` statement with a relative path would
// resolve to nothing in here, and every type to `any`.
declare module 'virtual:decisions' {
  /** In reading order. */
  export const summaries: import('./content.ts').DecisionSummary[];
  export const loaders: Record<string, () => Promise<{ default: import('./content.ts').Decision }>>;
}

declare module 'virtual:ladder' {
  export const ladder: import('./content.ts').Ladder;
}
