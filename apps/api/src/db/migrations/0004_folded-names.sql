ALTER TABLE "users" ADD COLUMN "folded_name" text;--> statement-breakpoint
CREATE INDEX "tickets_door" ON "tickets" USING btree ("ticket_type_id","created_at","id");--> statement-breakpoint
CREATE INDEX "users_unfolded" ON "users" USING btree ("id") WHERE "users"."folded_name" is null;