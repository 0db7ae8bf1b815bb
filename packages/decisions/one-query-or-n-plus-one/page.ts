import type { Connection } from '@minitickets/api/db/client';

export type PageOfEvents = {
  id: string;
  name: string;
  ticketTypes: { id: string; priceMinor: number; available: number }[];
}[];
/** Reads the first events of the list with their ticket types. */
export type ReadPage = (db: Connection, rows: number) => Promise<PageOfEvents>;
