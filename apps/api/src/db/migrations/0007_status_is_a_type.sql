CREATE TYPE "public"."booking_status" AS ENUM('held', 'confirmed', 'cancelled', 'expired');--> statement-breakpoint
ALTER TABLE "bookings" DROP CONSTRAINT "bookings_status";--> statement-breakpoint
ALTER TABLE "bookings" DROP CONSTRAINT "bookings_total";--> statement-breakpoint
ALTER TABLE "bookings" DROP CONSTRAINT "bookings_places";--> statement-breakpoint
ALTER TABLE "ticket_types" DROP CONSTRAINT "ticket_types_price";--> statement-breakpoint
ALTER TABLE "ticket_types" DROP CONSTRAINT "ticket_types_counts";--> statement-breakpoint
ALTER TABLE "ticket_types" DROP CONSTRAINT "ticket_types_never_oversold";--> statement-breakpoint
DROP INDEX "bookings_holds_of_event";--> statement-breakpoint
ALTER TABLE "bookings" ALTER COLUMN "status" DROP DEFAULT;--> statement-breakpoint
ALTER TABLE "bookings" ALTER COLUMN "status" SET DATA TYPE "public"."booking_status" USING "status"::"public"."booking_status";--> statement-breakpoint
ALTER TABLE "bookings" ALTER COLUMN "status" SET DEFAULT 'held'::"public"."booking_status";--> statement-breakpoint
CREATE INDEX "bookings_holds_of_event" ON "bookings" USING btree ("event_id","hold_expires_at") WHERE "bookings"."status" = 'held';--> statement-breakpoint
ALTER TABLE "ticket_types" ADD CONSTRAINT "ticket_types_never_oversold" CHECK ("ticket_types"."held" >= 0 and "ticket_types"."sold" >= 0 and "ticket_types"."held" + "ticket_types"."sold" <= "ticket_types"."capacity");