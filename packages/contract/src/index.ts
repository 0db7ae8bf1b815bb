export * from './bookings.ts';
export * from './demo.ts';
export * from './events.ts';
export * from './fields.ts';
export * from './headers.ts';
export * from './problems.ts';
export * from './tickets.ts';
export * from './users.ts';
