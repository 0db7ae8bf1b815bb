CREATE TABLE "identity_limits" (
	"policy" text NOT NULL,
	"identity" text NOT NULL,
	"capacity" integer NOT NULL,
	"refill_tokens" integer NOT NULL,
	"refill_interval_ms" integer NOT NULL,
	"on_store_failure" text NOT NULL,
	"suppression" jsonb,
	"shadow" boolean DEFAULT false NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "identity_limits_policy_identity_pk" PRIMARY KEY("policy","identity"),
	CONSTRAINT "identity_limits_bounds" CHECK ("identity_limits"."capacity" > 0 and "identity_limits"."refill_tokens" > 0 and "identity_limits"."refill_interval_ms" > 0)
);
--> statement-breakpoint
CREATE TABLE "tiers" (
	"name" text PRIMARY KEY NOT NULL,
	"based_on" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "tiers_based_on" CHECK ("tiers"."based_on" in ('free', 'pro'))
);
--> statement-breakpoint
-- Every user has one of these, so they are here before the foreign key is.
INSERT INTO "tiers" ("name", "based_on") VALUES ('free', 'free'), ('pro', 'pro');--> statement-breakpoint
ALTER TABLE "users" DROP CONSTRAINT "users_tier";--> statement-breakpoint
ALTER TABLE "limit_changes" ALTER COLUMN "policy" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "limit_changes" ALTER COLUMN "tier" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "limit_changes" ALTER COLUMN "before" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "limit_changes" ALTER COLUMN "after" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "tier" text;--> statement-breakpoint
ALTER TABLE "limit_changes" ADD COLUMN "identity" text;--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_tier_tiers_name_fk" FOREIGN KEY ("tier") REFERENCES "public"."tiers"("name") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "users" ADD CONSTRAINT "users_tier_tiers_name_fk" FOREIGN KEY ("tier") REFERENCES "public"."tiers"("name") ON DELETE no action ON UPDATE no action;