CREATE TABLE "write_probes" (
	"id" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"written_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "write_probes_one_row" CHECK ("write_probes"."id")
);
