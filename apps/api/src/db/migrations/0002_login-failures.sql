CREATE TABLE "login_failures" (
	"identity" text PRIMARY KEY NOT NULL,
	"user_id" uuid,
	"failures" smallint NOT NULL,
	"last_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "login_failures_cap" CHECK ("login_failures"."failures" between 1 and 100)
);
--> statement-breakpoint
ALTER TABLE "login_failures" ADD CONSTRAINT "login_failures_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "login_failures_user" ON "login_failures" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "login_failures_unknown" ON "login_failures" USING btree ("last_at") WHERE "login_failures"."user_id" is null;