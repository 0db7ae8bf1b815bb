ALTER TABLE "booking_lines" DROP CONSTRAINT "booking_lines_booking_id_bookings_id_fk";
--> statement-breakpoint
ALTER TABLE "booking_lines" DROP CONSTRAINT "booking_lines_ticket_type_id_ticket_types_id_fk";
--> statement-breakpoint
ALTER TABLE "bookings" DROP CONSTRAINT "bookings_event_id_events_id_fk";
