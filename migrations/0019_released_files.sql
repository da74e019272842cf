CREATE TABLE "released_files" (
	"path" text NOT NULL,
	"build" text NOT NULL,
	"body" text NOT NULL,
	"seal" text NOT NULL,
	"released_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "released_files_path_build_pk" PRIMARY KEY("path","build")
);
